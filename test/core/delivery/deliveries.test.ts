import { describe, expect, test } from 'vitest';
import { SECOND_MS } from '../../../lib/apis/formats/time.ts';
import {
  EVENT_LIVES,
  EVENT_PLAN,
  eventPauseMs,
  WAKE_PLAN,
  wakePauseMs,
} from '../../../lib/core/delivery/deliveries.ts';

/** The times of the deliveries of an event that fails at once, in seconds after the first. */
function deliveriesOf(life: keyof typeof EVENT_LIVES): readonly number[] {
  let atMs = 0;
  return Array.from({ length: EVENT_PLAN.deliveries }, (_, index) => {
    const thisMs = atMs;
    atMs += eventPauseMs(index + 1, life);
    return thisMs / SECOND_MS;
  });
}

describe('an event of EC2', () => {
  test('that announces an end in two minutes is delivered every five seconds at least', () => {
    expect(deliveriesOf('minutes').slice(0, 7)).toEqual([0, 1, 3, 7, 12, 17, 22]);
    expect(EVENT_LIVES.minutes.longestPauseMs).toBe(5 * SECOND_MS);
  });

  test.each(['minutes', 'quarter-hour'] as const)('that lasts %s is delivered until it is over', (life) => {
    expect((deliveriesOf(life).at(-1) ?? 0) * SECOND_MS).toBeGreaterThanOrEqual(EVENT_LIVES[life].lastsMs);
  });

  test('is delivered again after a stopped invocation within a quarter of two minutes', () => {
    expect(EVENT_PLAN.visibilityTimeoutMs).toBeLessThanOrEqual(30 * SECOND_MS);
  });
});

test.each([EVENT_PLAN, WAKE_PLAN])('the plan %j', (plan) => {
  // Otherwise a message is delivered again while the function still handles it.
  expect(plan.visibilityTimeoutMs).toBeGreaterThan(plan.functionTimeoutMs);
  // Otherwise the queue deletes a message before its last delivery.
  const longestPauseMs = Math.max(...Object.values(EVENT_LIVES).map((life) => life.longestPauseMs));
  expect(plan.retentionMs).toBeGreaterThan(plan.deliveries * (plan.visibilityTimeoutMs + longestPauseMs));
});

test('a wake is delivered at 0, 2 and 22 seconds, before the next tick replaces it', () => {
  expect([1, 2, 3].map(wakePauseMs)).toEqual([2 * SECOND_MS, 20 * SECOND_MS, undefined]);
  expect(WAKE_PLAN.deliveries).toBe(3);
});
