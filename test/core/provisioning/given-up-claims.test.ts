import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { withoutGivenUp } from '../../../lib/core/provisioning/given-up-claims.ts';
import { aClaim, aLaunchRequest, launchedClaim } from '../../builders/node-claims.ts';
import { NOW_MS } from '../../builders/times.ts';

const LATE_MS = NOW_MS + 10 * MINUTE_MS;
const PLANNED = aClaim({ createdAtMs: NOW_MS, launch: { kind: 'planned' } });
const REFUSED = { kind: 'refused', attempt: 3, message: 'denied', atMs: NOW_MS } as const;

function isDeleted(record: typeof PLANNED, nowMs: number): boolean {
  return withoutGivenUp([record], nowMs).some(({ deletion }) => deletion !== undefined);
}

test('a claim that was not tried in ten minutes takes no pods; one of many that wait for their turn, in 25', () => {
  expect(isDeleted(PLANNED, LATE_MS - 1)).toBe(false);
  expect(isDeleted(PLANNED, LATE_MS)).toBe(true);
  const many = Array.from({ length: 51 }, (_, index) => ({ ...PLANNED, name: `general-${index}` }));
  const deletedAt = (minutes: number) =>
    withoutGivenUp(many, NOW_MS + minutes * MINUTE_MS).filter(({ deletion }) => deletion !== undefined).length;
  expect([deletedAt(24), deletedAt(25)]).toEqual([0, 51]);
});

test('a claim that was not launched ten minutes after its first request takes no pods', () => {
  const late = { ...PLANNED, launch: { ...REFUSED, firstAtMs: NOW_MS + MINUTE_MS } };
  expect(isDeleted(late, NOW_MS + 11 * MINUTE_MS - 1)).toBe(false);
  expect(isDeleted(late, NOW_MS + 11 * MINUTE_MS)).toBe(true);
  expect(isDeleted({ ...PLANNED, launch: REFUSED }, NOW_MS + 10 * MINUTE_MS), 'of an earlier version').toBe(true);
});

test('a claim that has an instance, or may have one, keeps its pods', () => {
  expect(isDeleted(launchedClaim({ createdAtMs: NOW_MS }), LATE_MS)).toBe(false);
  expect(isDeleted({ ...PLANNED, launch: { ...REFUSED, unknown: true } }, LATE_MS)).toBe(false);
  const requested = { kind: 'requested', attempt: 1, request: aLaunchRequest(), atMs: NOW_MS } as const;
  expect(isDeleted({ ...PLANNED, launch: requested }, LATE_MS)).toBe(false);
});

test('the record keeps its share of the limits', () => {
  expect(withoutGivenUp([PLANNED], LATE_MS)).toEqual([{ ...PLANNED, deletion: expect.anything() }]);
});
