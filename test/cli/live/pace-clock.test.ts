import { expect, test } from 'vitest';
import { paceClock } from '../../../lib/cli/live/pace-clock.ts';

test('the clock goes at its speed, stands while it is paused, and never jumps', () => {
  const clock = paceClock(60, 1_000);
  expect([clock.at(1_000), clock.at(2_000)]).toEqual([0, 60]);
  clock.setSpeed(10, 2_000);
  expect([clock.at(2_000), clock.at(3_000)]).toEqual([60, 70]);
  clock.pause(3_000);
  expect([clock.paused, clock.at(9_000)]).toEqual([true, 70]);
  clock.setSpeed(1, 9_000);
  clock.resume(10_000);
  expect([clock.paused, clock.at(10_000), clock.at(12_000)]).toEqual([false, 70, 72]);
  clock.moveTo(500, 12_000);
  expect(clock.at(13_000)).toBe(501);
});
