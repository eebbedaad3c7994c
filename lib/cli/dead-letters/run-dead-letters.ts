import { counted } from '../../apis/counted.ts';
import { formatTime } from '../../apis/formats/time.ts';
import { type DescribedLetter, describeLetter } from '../../core/interruption/dead-letter.ts';
import type { DeadLetter, DeadLetters } from '../../ports/dead-letters.ts';
import { checkingOptions } from '../checking-options.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { printable } from '../render/render-lines.ts';
import type { DeadLettersAction, DeadLettersFlags } from './dead-letters-command.ts';

interface Asked extends DeadLettersFlags {
  readonly action: DeadLettersAction;
}

type Connect = (asked: Asked) => Promise<DeadLetters>;

interface Seen extends DescribedLetter {
  readonly letter: DeadLetter;
}

/** Runs `kerf dead-letters`. */
export async function runDeadLetters(context: CliContext, asked: Asked, connect: Connect = connected): Promise<void> {
  const queue = await connect(asked);
  const nowMs = Date.now();
  const seen = (await queue.receive()).map((letter): Seen => {
    return { letter, ...describeLetter(letter.body, { sentAtMs: letter.sentAtMs ?? nowMs, nowMs }) };
  });
  const chosen = seen.filter((one) => isChosen(asked, one));
  const left = seen.filter((one) => !chosen.includes(one));
  if (asked.action === 'send') await queue.sendAgain(chosen.map(({ letter }) => letter));
  if (asked.action === 'delete') await queue.delete(chosen.map(({ letter }) => letter));
  await queue.release(left.map(({ letter }) => letter));
  context.process.stdout.write(
    asked.output === 'json'
      ? `${JSON.stringify(outputOf(asked, seen, chosen), null, 2)}\n`
      : textOf(asked, seen, chosen),
  );
  context.process.exitCode = EXIT.fine;
}

function isChosen({ action, all }: Asked, { isOver }: Seen): boolean {
  switch (action) {
    case 'list':
      return false;
    case 'send':
      return all || !isOver;
    case 'delete':
      return all || isOver;
  }
}

const DONE = { list: 'listed', send: 'sent again', delete: 'deleted' } as const;

function outputOf({ action }: Asked, seen: readonly Seen[], chosen: readonly Seen[]): object {
  return {
    formatVersion: 1,
    messages: seen.map((one) => ({
      id: one.letter.id,
      ...(one.letter.sentAtMs !== undefined && { sentAt: formatTime(one.letter.sentAtMs) }),
      about: one.about,
      isOver: one.isOver,
      outcome: chosen.includes(one) ? DONE[action] : 'left',
      body: one.letter.body,
    })),
  };
}

function textOf(asked: Asked, seen: readonly Seen[], chosen: readonly Seen[]): string {
  if (seen.length === 0) return 'no dead letters\n';
  const lines = seen.map((one) => {
    const sent = one.letter.sentAtMs === undefined ? '' : `${formatTime(one.letter.sentAtMs)}  `;
    const outcome = chosen.includes(one) ? `: ${DONE[asked.action]}` : '';
    return printable(`${sent}${one.about}${one.isOver ? ' (over)' : ''}${outcome}`);
  });
  const [over, done] = [seen.filter(({ isOver }) => isOver).length, chosen.length];
  const sum =
    asked.action === 'list' ? `${over} of them over` : `${done} ${DONE[asked.action]}, ${seen.length - done} left`;
  return `${[...lines, `${counted(seen.length, 'dead letter')}, ${sum}`].join('\n')}\n`;
}

/** Loads the SDK client only when it is needed, because loading takes time. */
async function connected({ queue, region }: Asked): Promise<DeadLetters> {
  const { wireDeadLetters } = await import('../../operator/wiring/dead-letters.ts');
  return await checkingOptions(async () => await wireDeadLetters({ queue, region }));
}
