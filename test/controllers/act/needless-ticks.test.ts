import { expect, test } from 'vitest';
import { needlessTicks } from '../../../lib/controllers/act/needless-ticks.ts';
import type { CoalescedWake } from '../../../lib/controllers/run/coalesce-wakes.ts';
import { MINUTE, NOW_MS } from '../../builders/times.ts';

const OWN: CoalescedWake = { cluster: 'demo', reason: 'tick' };
const TIMES = { firstMs: NOW_MS, lastMs: NOW_MS, sentMs: NOW_MS };

test.each<[string, CoalescedWake]>([
  ['alone', { ...OWN, claimsDigest: 'same', times: TIMES }],
  ['together with another wake, so without its digest', { ...OWN, reason: 'due+tick', times: TIMES }],
])('its own tick is needless while lifecycle wakes the function, %s', (_, passedOn) => {
  const isNeedless = needlessTicks();
  expect(isNeedless(OWN, NOW_MS)).toBe(false);
  expect(isNeedless(passedOn, NOW_MS)).toBe(false);
  expect(isNeedless(OWN, NOW_MS + MINUTE)).toBe(true);
  expect(isNeedless({ ...OWN, cluster: 'other' }, NOW_MS + MINUTE)).toBe(false);
  expect(isNeedless(OWN, NOW_MS + 2 * MINUTE)).toBe(false);
});

test('another wake is never needless', () => {
  const isNeedless = needlessTicks();
  expect(isNeedless({ ...OWN, reason: 'tick', times: TIMES }, NOW_MS)).toBe(false);
  expect(isNeedless({ ...OWN, reason: 'released', times: TIMES }, NOW_MS)).toBe(false);
});
