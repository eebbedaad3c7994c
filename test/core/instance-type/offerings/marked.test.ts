import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../lib/apis/formats/time.ts';
import { type Marked, marked } from '../../../../lib/core/instance-type/offerings/marked.ts';
import { randomFrom } from '../../../../lib/simulator/random.ts';

const FIRST = marked(undefined, 0);

/** Marked again the moment it lapses, `times` times. */
function persistent(times: number): Marked {
  let mark = FIRST;
  for (let time = 0; time < times; time += 1) mark = marked(mark, mark.untilMs);
  return mark;
}

test('the first mark holds for three minutes (C32)', () => {
  expect(FIRST).toEqual({ markedAtMs: 0, untilMs: 3 * MINUTE_MS, strikes: 1 });
});

test.each([
  [1, 6],
  [2, 12],
  [3, 24],
  [4, 30],
  [40, 30],
])('what still lacks capacity the %ith time that it is tried again is left alone for %i minutes', (times, minutes) => {
  const { untilMs, markedAtMs } = persistent(times);
  expect(untilMs - markedAtMs).toBe(minutes * MINUTE_MS);
});

test('an offering that EC2 did not try gets no strike, and each mark lasts three minutes (C33)', () => {
  const again = marked(FIRST, FIRST.untilMs, 'UnfulfillableCapacity');
  expect(again).toEqual({ markedAtMs: FIRST.untilMs, untilMs: FIRST.untilMs + 3 * MINUTE_MS, strikes: 1 });
  expect(marked(again, again.untilMs, 'InsufficientInstanceCapacity').strikes).toBe(2);
});

test.each([
  'Unsupported',
  'VcpuLimitExceeded',
  'MaxSpotInstanceCountExceeded',
  'MaxFleetCountExceeded',
  'ReservationCapacityExceeded',
  'InsufficientFreeAddressesInSubnet',
  'AuthFailure',
  'AuthFailure.ServiceLinkedRoleCreationNotPermitted',
])('%s says nothing about the offering: each mark lasts three minutes (C35)', (reason) => {
  let mark = FIRST;
  for (let time = 0; time < 9; time += 1) mark = marked(mark, mark.untilMs, reason);
  expect(mark).toEqual({ markedAtMs: 27 * MINUTE_MS, untilMs: 30 * MINUTE_MS, strikes: 1 });
});

test.each([
  ['within the hour it is the next strike', HOUR_MS - 1, 2],
  ['after an hour it is forgotten', HOUR_MS, 1],
])('%s', (_, laterMs, strikes) => {
  expect(marked(FIRST, FIRST.untilMs + laterMs).strikes).toBe(strikes);
});

test('claims that fail together are one event: it teaches nothing', () => {
  expect(marked(FIRST, 9 * SECOND_MS)).toBe(FIRST);
  expect(marked(FIRST, -MINUTE_MS)).toBe(FIRST);
});

test('a mark during another mark extends it and adds no strike', () => {
  expect(marked(FIRST, MINUTE_MS)).toEqual({ markedAtMs: MINUTE_MS, untilMs: 4 * MINUTE_MS, strikes: 1 });
});

test('news never ends a long mark earlier', () => {
  const long = persistent(4);
  expect(marked(long, long.markedAtMs + MINUTE_MS).untilMs).toBe(long.untilMs);
});

test.each([1, 2, 3, 4, 5])(
  'whatever comes in whatever order, no mark ends an earlier one, or lasts above 30 min (seed %i)',
  (seed) => {
    const random = randomFrom(seed);
    let mark = FIRST;
    let nowMs = 0;
    for (let step = 0; step < 300; step += 1) {
      nowMs += random.between(-20 * SECOND_MS, 10 * MINUTE_MS);
      const next = marked(mark, nowMs);
      expect(next.untilMs).toBeGreaterThanOrEqual(mark.untilMs);
      expect(next.untilMs - next.markedAtMs).toBeLessThanOrEqual(30 * MINUTE_MS);
      // The rule of a conditional write that is tried again: the same news twice is news once.
      expect(marked(next, nowMs)).toBe(next);
      mark = next;
    }
  },
);
