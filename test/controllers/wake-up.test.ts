import { expect, test } from 'vitest';
import { optional } from '../../lib/apis/optional.ts';
import { coalesceWakes } from '../../lib/controllers/run/coalesce-wakes.ts';
import { armWakeUp, conflictRetry, wakesTogether } from '../../lib/controllers/run/wake-up.ts';
import { nextTick, requeueAt } from '../../lib/core/model/decision.ts';
import type { Wake } from '../../lib/ports/messages.ts';
import { MINUTE, NOW_MS, SECOND } from '../builders/times.ts';

/** The wakes that are sent for the due times, with their delays. */
async function wakesFor(
  ...dueMs: readonly number[]
): Promise<readonly (readonly [Wake['dueMs'], number | undefined])[]> {
  const sent: (readonly [Wake['dueMs'], number | undefined])[] = [];
  const messages = {
    wake: async (_: unknown, wake: Wake, delayMs?: number) => void sent.push([wake.dueMs, delayMs]),
  };
  const ports = { messages, clock: { now: () => NOW_MS } };
  await armWakeUp(ports, 'lifecycle', { cluster: 'demo', due: dueMs.map((atMs) => requeueAt(atMs)) });
  return sent;
}

test('a due time before the next tick gets one wake at that time', async () => {
  expect(await wakesFor(NOW_MS + 30 * SECOND)).toEqual([[NOW_MS + 30 * SECOND, 30 * SECOND]]);
});

test('the first of several due times counts', async () => {
  const due = [NOW_MS + 50 * SECOND, NOW_MS + 5 * SECOND, NOW_MS + 2 * MINUTE];
  expect(await wakesFor(...due)).toEqual([[NOW_MS + 5 * SECOND, 5 * SECOND]]);
});

test('an overdue time gets a wake at once', async () => {
  expect(await wakesFor(NOW_MS - SECOND)).toEqual([[NOW_MS - SECOND, 0]]);
});

test('a due time at the next tick or later gets none, and neither does no due time', async () => {
  expect(await wakesFor(NOW_MS + MINUTE)).toEqual([]);
  expect(await wakesFor()).toEqual([]);
});

test('what waits for the next tick gets no wake, also if the run takes a while', async () => {
  const sent: Wake[] = [];
  const messages = { wake: async (_: unknown, wake: Wake) => void sent.push(wake) };
  const ports = { messages, clock: { now: () => NOW_MS + 3 * SECOND } };
  await armWakeUp(ports, 'disruption', { cluster: 'demo', due: [nextTick(NOW_MS)] });
  await armWakeUp(ports, 'disruption', { cluster: 'demo', due: [nextTick(NOW_MS), requeueAt(NOW_MS + MINUTE)] });
  expect(sent.map(({ dueMs }) => dueMs)).toEqual([NOW_MS + MINUTE]);
});

test('a run with a conflict is repeated after a second, and after twice the time for each further conflict', async () => {
  const wake: Wake = { cluster: 'demo', reason: 'tick' };
  const first = conflictRetry(wake, true, NOW_MS);
  expect(first).toEqual({ due: [requeueAt(NOW_MS + SECOND)], conflicts: 1 });
  const dueAfter = (conflicts: number) => conflictRetry({ ...wake, conflicts }, true, NOW_MS).due;
  expect([1, 2, 5].map(dueAfter)).toEqual([2, 4, 32].map((seconds) => [requeueAt(NOW_MS + seconds * SECOND)]));
  expect([6, 100].map(dueAfter)).toEqual([[nextTick(NOW_MS)], [nextTick(NOW_MS)]]);
  expect(conflictRetry({ ...wake, conflicts: 5 }, false, NOW_MS)).toEqual({ due: [] });
});

test('the wake of the repetition has the number of conflicts, and a wake that stands for several has the smallest', async () => {
  const sent: Wake[] = [];
  const messages = { wake: async (_: unknown, wake: Wake) => void sent.push(wake) };
  const ports = { messages, clock: { now: () => NOW_MS } };
  const again = conflictRetry({ cluster: 'demo', reason: 'due', conflicts: 2 }, true, NOW_MS);
  await armWakeUp(ports, 'lifecycle', { ...again, cluster: 'demo' });
  await armWakeUp(ports, 'lifecycle', { cluster: 'demo', due: [requeueAt(NOW_MS)] });
  expect(sent.map(({ conflicts }) => conflicts)).toEqual([3, undefined]);
  const one = sent.map((wake) => ({ wake, sentAtMs: NOW_MS }));
  expect(coalesceWakes('demo', one.slice(0, 1)).conflicts).toBe(3);
  const less = { wake: { cluster: 'demo', reason: 'due', conflicts: 2 }, sentAtMs: NOW_MS };
  expect(coalesceWakes('demo', [...one.slice(0, 1), less]).conflicts).toBe(2);
  // The wake without conflicts can be for another object, whose first conflict is repeated after a second.
  expect(coalesceWakes('demo', one)).not.toHaveProperty('conflicts');
});

function released(nodeClaim?: string): Wake {
  return { cluster: 'demo', reason: 'released', ...optional({ nodeClaim }) };
}

test('alike wakes of a run are one a second, and one at the end for those that were left out', async () => {
  const sent: (readonly [string, Wake])[] = [];
  let nowMs = NOW_MS;
  const { messages, sendRest } = wakesTogether({
    messages: { wake: async (target, wake) => void sent.push([target, wake]) },
    clock: { now: () => nowMs },
  });
  for (const name of ['a', 'b', 'c']) await messages.wake('termination', released(name));
  await messages.wake('disruption', released());
  await messages.wake('disruption', released());
  expect(sent).toEqual([
    ['termination', released('a')],
    ['disruption', released()],
  ]);
  nowMs += SECOND;
  await messages.wake('disruption', released());
  await messages.wake('disruption', { ...released(), dueMs: nowMs });
  expect(sent.slice(2)).toEqual([
    ['disruption', released()],
    ['disruption', { ...released(), dueMs: nowMs }],
  ]);
  expect(await sendRest()).toEqual([]);
  expect(sent.slice(4)).toEqual([
    ['termination', released()],
    ['disruption', released()],
  ]);
});

test('a single wake that was left out names its claim', async () => {
  const sent: Wake[] = [];
  const { messages, sendRest } = wakesTogether({
    messages: { wake: async (_, wake) => void sent.push(wake) },
    clock: { now: () => NOW_MS },
  });
  for (const nodeClaim of ['a', 'b'])
    await messages.wake('termination', { cluster: 'demo', reason: 'empty', nodeClaim });
  await sendRest();
  expect(sent.map(({ nodeClaim }) => nodeClaim)).toEqual(['a', 'b']);
});
