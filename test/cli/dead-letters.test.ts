import { expect, test } from 'vitest';
import type { DeadLettersAction } from '../../lib/cli/dead-letters/dead-letters-command.ts';
import { runDeadLetters } from '../../lib/cli/dead-letters/run-dead-letters.ts';
import type { DeadLetter, DeadLetters, FailedLetter } from '../../lib/ports/dead-letters.ts';
import { RefusedError } from '../../lib/ports/errors.ts';
import { runKerf } from './run-kerf.ts';

const BODIES: Readonly<Record<string, string>> = {
  'a-wake': '{"cluster":"demo","reason":"tick"}',
  unreadable: '{"detail-type":"EC2 Something New"}',
};

/** A queue of two dead letters of the year 1970: a wake, which is over, and an event that no version reads. */
async function play(
  action: DeadLettersAction,
  over: { readonly all?: boolean; readonly output?: 'text' | 'json'; readonly failing?: string } = {},
) {
  const done: string[] = [];
  const note =
    (what: string) =>
    async (letters: readonly DeadLetter[]): Promise<readonly FailedLetter[]> => {
      if (letters.length > 0) done.push(`${what} ${letters.map(({ id }) => id).join()}`);
      return letters.flatMap((letter) => {
        const error = letter.id === over.failing ? new RefusedError('too large') : undefined;
        return error === undefined ? [] : [{ letter, error }];
      });
    };
  const queue: DeadLetters = {
    receive: async () => Object.entries(BODIES).map(([id, body]) => ({ id, body, receipt: id, sentAtMs: 1 })),
    release: note('release'),
    sendAgain: note('send'),
    delete: note('delete'),
  };
  const written = { stdout: '', stderr: '' };
  const context = {
    process: {
      stdout: { write: (text: string) => void (written.stdout += text) },
      stderr: { write: (text: string) => void (written.stderr += text) },
      exitCode: 0,
    },
    columns: 80,
    color: false,
    readText: () => '',
    writeText: () => {},
    filesIn: () => undefined,
    sleep: async () => {},
  };
  const asked = {
    action,
    queue: 'https://sqs.test/q',
    region: undefined,
    all: false,
    output: 'text' as const,
    ...over,
  };
  await runDeadLetters(context, asked, async () => queue);
  return { done, ...written, code: context.process.exitCode };
}

test('list shows what each message is about, and leaves all', async () => {
  const { done, stdout } = await play('list');
  expect(done).toEqual(['release a-wake,unreadable']);
  expect(stdout.split('\n')).toEqual([
    '1970-01-01T00:00:00Z  wake of demo: tick (over)',
    '1970-01-01T00:00:00Z  EC2 Something New that cannot be read: its version is missing, not "0"',
    '2 dead letters, 1 of them over',
    '',
  ]);
});

test.each<[DeadLettersAction, boolean, readonly string[]]>([
  ['send', false, ['send unreadable', 'release a-wake']],
  ['send', true, ['send a-wake,unreadable']],
  ['delete', false, ['delete a-wake', 'release unreadable']],
  ['delete', true, ['delete a-wake,unreadable']],
])('%s, with --all %j, acts on the messages that it names', async (action, all, expected) => {
  expect((await play(action, { all })).done).toEqual(expected);
});

test('--output json has the body and the outcome of each message', async () => {
  const output: unknown = JSON.parse((await play('send', { output: 'json' })).stdout);
  expect(output).toMatchObject({
    messages: [
      { id: 'a-wake', isOver: true, outcome: 'left', body: BODIES['a-wake'] },
      { id: 'unreadable', isOver: false, outcome: 'sent again' },
    ],
  });
});

test('a message that fails is named with the reason, the others are done, and the exit code is 3', async () => {
  const failing = 'unreadable';
  const { stdout, code } = await play('send', { all: true, failing });
  expect(stdout.split('\n').slice(0, 3)).toEqual([
    '1970-01-01T00:00:00Z  wake of demo: tick (over): sent again',
    expect.stringMatching(/EC2 Something New.*: failed: too large$/),
    '2 dead letters, 1 sent again, 1 failed, 0 left',
  ]);
  expect(code).toBe(3);
  expect(JSON.parse((await play('send', { all: true, failing, output: 'json' })).stdout)).toMatchObject({
    messages: [{ outcome: 'sent again' }, { outcome: 'failed', error: 'too large' }],
  });
});

test('a message that stays hidden is a note, because it returns after a minute', async () => {
  const { stderr, code } = await play('list', { failing: 'a-wake' });
  expect({ stderr, code }).toEqual({ stderr: '1 message cannot be read again for a minute: too large\n', code: 0 });
});

test('list has no --all, which would have no effect', async () => {
  const { code, stderr } = await runKerf(['dead-letters', 'list', '--queue', 'https://sqs.test/q', '--all']);
  expect({ code, stderr }).toEqual({ code: 2, stderr: '--all is not a flag of this command: see --help\n' });
});

test('a region other than that of the queue is refused before any call', async () => {
  const queue = 'https://sqs.eu-west-1.amazonaws.com/123456789012/q';
  const { code, stderr } = await runKerf(['dead-letters', 'list', '--queue', queue, '--region', 'us-east-1']);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: '--region is us-east-1, but the queue is in eu-west-1: remove --region, or write eu-west-1\n',
  });
});

test('without a command, the commands are listed', async () => {
  const { stdout } = await runKerf(['dead-letters']);
  expect(stdout).toMatch(/list .*\n.*send .*\n.*delete /);
});

test('an address that is not a URL is one sentence and exit code 2', async () => {
  const { code, stderr } = await runKerf(['dead-letters', 'list', '--queue', 'Kerf-Interruption']);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: '--queue is Kerf-Interruption: it must be an address that begins with https://\n',
  });
});
