import { counted } from '../../apis/counted.ts';
import { formatTime } from '../../apis/formats/time.ts';
import { type DescribedLetter, describeLetter } from '../../core/interruption/dead-letter.ts';
import { type DeadLetter, type DeadLetters, type FailedLetter, MAX_DEAD_LETTERS } from '../../ports/dead-letters.ts';
import { checkingOptions } from '../checking-options.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { printable } from '../render/render-lines.ts';
import type { DeadLettersAction, DeadLettersFlags } from './dead-letters-command.ts';

interface Asked extends DeadLettersFlags {
  readonly all: boolean;
  readonly action: DeadLettersAction;
}

type Connect = (asked: Asked) => Promise<DeadLetters>;

interface Seen extends DescribedLetter {
  readonly letter: DeadLetter;
}

/**
 * Runs `kerf dead-letters`. A message that fails is reported, and the others are handled.
 * *Errors:* those of `receive`, after which nothing is changed.
 */
export async function runDeadLetters(context: CliContext, asked: Asked, connect: Connect = connected): Promise<void> {
  const queue = await connect(asked);
  const nowMs = Date.now();
  const seen = (await queue.receive()).map((letter): Seen => {
    return { letter, ...describeLetter(letter.body, { sentAtMs: letter.sentAtMs ?? nowMs, nowMs }) };
  });
  const chosen = seen.filter((one) => isChosen(asked, one));
  const left = seen.filter((one) => !chosen.includes(one));
  const failed = await actOn(queue, asked.action, lettersOf(chosen));
  const hidden = await queue.release(lettersOf(left));
  const done: Done = { asked, seen, chosen, failures: new Map(failed.map(({ letter, error }) => [letter.id, error])) };
  const { stdout, stderr } = context.process;
  stdout.write(asked.output === 'json' ? `${JSON.stringify(outputOf(done), null, 2)}\n` : textOf(done));
  for (const note of notesOn(seen, hidden)) stderr.write(`${note}\n`);
  context.process.exitCode = failed.length > 0 ? EXIT.failure : EXIT.fine;
}

interface Done {
  readonly asked: Asked;
  readonly seen: readonly Seen[];
  readonly chosen: readonly Seen[];
  /** By the id of the message. */
  readonly failures: ReadonlyMap<string, Error>;
}

function lettersOf(seen: readonly Seen[]): readonly DeadLetter[] {
  return seen.map(({ letter }) => letter);
}

async function actOn(
  queue: DeadLetters,
  action: DeadLettersAction,
  letters: readonly DeadLetter[],
): Promise<readonly FailedLetter[]> {
  switch (action) {
    case 'list':
      return [];
    case 'send':
      return await queue.sendAgain(letters);
    case 'delete':
      return await queue.delete(letters);
  }
}

function notesOn(seen: readonly Seen[], hidden: readonly FailedLetter[]): readonly string[] {
  const [first] = hidden;
  return [
    ...(first === undefined
      ? []
      : [`${counted(hidden.length, 'message')} cannot be read again for a minute: ${first.error.message}`]),
    ...(seen.length < MAX_DEAD_LETTERS
      ? []
      : [`a call reads about ${MAX_DEAD_LETTERS} messages, and there may be more: run it again after send or delete`]),
  ];
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

function outputOf(done: Done): object {
  return {
    formatVersion: 1,
    messages: done.seen.map((one) => {
      const error = done.failures.get(one.letter.id);
      return {
        id: one.letter.id,
        ...(one.letter.sentAtMs !== undefined && { sentAt: formatTime(one.letter.sentAtMs) }),
        about: one.about,
        isOver: one.isOver,
        outcome: outcomeOf(done, one) ?? 'left',
        ...(error !== undefined && { error: error.message }),
        body: one.letter.body,
      };
    }),
  };
}

/** *Shape:* undefined for a message that the action leaves. */
function outcomeOf({ asked, chosen, failures }: Done, one: Seen): string | undefined {
  if (!chosen.includes(one)) return undefined;
  return failures.has(one.letter.id) ? 'failed' : DONE[asked.action];
}

function textOf(done: Done): string {
  const { asked, seen, chosen, failures } = done;
  if (seen.length === 0) return 'no dead letters\n';
  const lines = seen.map((one) => {
    const sent = one.letter.sentAtMs === undefined ? '' : `${formatTime(one.letter.sentAtMs)}  `;
    const outcome = [outcomeOf(done, one), failures.get(one.letter.id)?.message].flatMap((text) => text ?? []);
    return printable([`${sent}${one.about}${one.isOver ? ' (over)' : ''}`, ...outcome].join(': '));
  });
  const over = seen.filter(({ isOver }) => isOver).length;
  const failed = failures.size === 0 ? '' : `, ${failures.size} failed`;
  const sum =
    asked.action === 'list'
      ? `${over} of them over`
      : `${chosen.length - failures.size} ${DONE[asked.action]}${failed}, ${seen.length - chosen.length} left`;
  return `${[...lines, `${counted(seen.length, 'dead letter')}, ${sum}`].join('\n')}\n`;
}

/** Loads the SDK client only when it is needed, because loading takes time. */
async function connected({ queue, region }: Asked): Promise<DeadLetters> {
  const { wireDeadLetters } = await import('../../operator/wiring/dead-letters.ts');
  return await checkingOptions(async () => await wireDeadLetters({ queue, region }));
}
