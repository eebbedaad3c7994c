import { expect, test } from 'vitest';
import { AnswerCache } from '../../../../lib/providers/aws/client/kept-answers.ts';

const MINUTE = { key: 'subnets', keepMs: 60_000 };

function world(answers: readonly (readonly string[] | Error)[]) {
  const clock = { nowMs: 0, now: () => clock.nowMs };
  const kept = new AnswerCache<readonly string[]>(clock, (answer) => answer.length > 0);
  let calls = 0;
  const ask = (question = MINUTE) =>
    kept.ask(question, async () => {
      const answer = answers[calls] ?? [];
      calls += 1;
      if (answer instanceof Error) throw answer;
      return answer;
    });
  return { clock, kept, ask, calls: () => calls };
}

test('a response is cached until it expires', async () => {
  const { clock, ask, calls } = world([['a'], ['b']]);
  expect(await ask()).toEqual(['a']);
  clock.nowMs = 59_999;
  expect(await ask()).toEqual(['a']);
  expect(calls()).toBe(1);
  clock.nowMs = 60_000;
  expect(await ask()).toEqual(['b']);
});

test('the time of a result is shortened, and never made longer', async () => {
  const { clock, kept, ask, calls } = world([['a'], ['b']]);
  await ask();
  kept.keepAtMost('subnets', 10_000);
  clock.nowMs = 9_999;
  kept.keepAtMost('subnets', 60_000);
  expect([await ask(), calls()]).toEqual([['a'], 1]);
  clock.nowMs = 10_000;
  expect(await ask()).toEqual(['b']);
});

test('concurrent calls share one request', async () => {
  const { ask, calls } = world([['a']]);
  expect(await Promise.all([ask(), ask()])).toEqual([['a'], ['a']]);
  expect(calls()).toBe(1);
});

test('different requests have different responses', async () => {
  const { ask } = world([['a'], ['b']]);
  await ask();
  expect(await ask({ ...MINUTE, key: 'groups' })).toEqual(['b']);
});

test('an empty response is not cached', async () => {
  const { ask } = world([[], ['a']]);
  expect(await ask()).toEqual([]);
  expect(await ask()).toEqual(['a']);
});

test('a failure is returned to all callers, and is not cached', async () => {
  const { ask, calls } = world([new Error('throttled'), ['a']]);
  const both = await Promise.allSettled([ask(), ask()]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await ask()).toEqual(['a']);
  expect(calls()).toBe(2);
});

test('an evicted response is requested again', async () => {
  const { kept, ask } = world([['a'], ['b']]);
  await ask();
  kept.forget('subnets');
  expect(await ask()).toEqual(['b']);
});
