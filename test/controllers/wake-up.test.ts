import { expect, test } from 'vitest';
import { armWakeUp } from '../../lib/controllers/run/wake-up.ts';
import { requeueAt } from '../../lib/core/model/decision.ts';
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
