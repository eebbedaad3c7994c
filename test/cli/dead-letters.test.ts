import { expect, test } from 'vitest';
import type { DeadLettersAction } from '../../lib/cli/dead-letters/dead-letters-command.ts';
import { runDeadLetters } from '../../lib/cli/dead-letters/run-dead-letters.ts';
import type { DeadLetters } from '../../lib/ports/dead-letters.ts';
import { runKerf } from './run-kerf.ts';

const BODIES: Readonly<Record<string, string>> = {
  'a-wake': '{"cluster":"demo","reason":"tick"}',
  unreadable: '{"detail-type":"EC2 Something New"}',
};

/** A queue of two dead letters of the year 1970: a wake, which is over, and an event that no version reads. */
async function play(
  action: DeadLettersAction,
  over: { readonly all?: boolean; readonly output?: 'text' | 'json' } = {},
) {
  const done: string[] = [];
  const note = (what: string) => async (letters: readonly { readonly id: string }[]) => {
    if (letters.length > 0) done.push(`${what} ${letters.map(({ id }) => id).join()}`);
  };
  const queue: DeadLetters = {
    receive: async () => Object.entries(BODIES).map(([id, body]) => ({ id, body, receipt: id, sentAtMs: 1 })),
    release: note('release'),
    sendAgain: note('send'),
    delete: note('delete'),
  };
  let stdout = '';
  const context = {
    process: { stdout: { write: (text: string) => void (stdout += text) }, stderr: { write: () => {} } },
    columns: 80,
    color: false,
    readText: () => '',
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
  return { done, stdout };
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
