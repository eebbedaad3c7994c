import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { withoutGivenUp } from '../../../lib/core/provisioning/given-up-claims.ts';
import { aClaim, aLaunchRequest, launchedClaim } from '../../builders/node-claims.ts';
import { NOW_MS } from '../../builders/times.ts';

const LATE_MS = NOW_MS + 12 * MINUTE_MS;
const PLANNED = aClaim({ createdAtMs: NOW_MS, launch: { kind: 'planned' } });
const REFUSED = { kind: 'refused', attempt: 3, message: 'denied', atMs: NOW_MS } as const;

function isDeleted(record: typeof PLANNED, nowMs: number): boolean {
  return withoutGivenUp([record], nowMs).some(({ deletion }) => deletion !== undefined);
}

test('a claim that was not tried in twelve minutes takes no pods; one of many that wait for their turn, in 35', () => {
  expect(isDeleted(PLANNED, LATE_MS - 1)).toBe(false);
  expect(isDeleted(PLANNED, LATE_MS)).toBe(true);
  const many = Array.from({ length: 51 }, (_, index) => ({ ...PLANNED, name: `general-${index}` }));
  const deletedAt = (minutes: number) =>
    withoutGivenUp(many, NOW_MS + minutes * MINUTE_MS).filter(({ deletion }) => deletion !== undefined).length;
  expect([deletedAt(34), deletedAt(35)]).toEqual([0, 51]);
});

test('the last claims of many wait as long as those before them', () => {
  const done = Array.from({ length: 50 }, (_, index) => ({ ...launchedClaim(), name: `general-${index}` }));
  const launchedAgo = (minutes: number) =>
    done.map((record) => ({ ...record, launch: { ...record.launch, atMs: LATE_MS - minutes * MINUTE_MS } }));
  const isGivenUp = (records: readonly (typeof PLANNED)[]) =>
    withoutGivenUp([...records, PLANNED], LATE_MS).some(({ deletion }) => deletion !== undefined);
  expect(isGivenUp(launchedAgo(9))).toBe(false);
  expect(isGivenUp(launchedAgo(10)), 'nothing was launched since').toBe(true);
  expect(isGivenUp(launchedAgo(9).slice(1)), 'EC2 accepts so many at once').toBe(true);
});

test('a claim that EC2 throttles waits for its turn from its creation, also if there are few', () => {
  const throttled = { ...PLANNED, launch: { ...REFUSED, throttled: true, firstAtMs: NOW_MS + MINUTE_MS } } as const;
  expect(isDeleted(throttled, NOW_MS + 35 * MINUTE_MS - 1)).toBe(false);
  expect(isDeleted(throttled, NOW_MS + 35 * MINUTE_MS)).toBe(true);
});

test('a claim that was not launched twelve minutes after its first request takes no pods', () => {
  const late = { ...PLANNED, launch: { ...REFUSED, firstAtMs: NOW_MS + MINUTE_MS } };
  expect(isDeleted(late, NOW_MS + 13 * MINUTE_MS - 1)).toBe(false);
  expect(isDeleted(late, NOW_MS + 13 * MINUTE_MS)).toBe(true);
  expect(isDeleted({ ...PLANNED, launch: REFUSED }, NOW_MS + 12 * MINUTE_MS), 'of an earlier version').toBe(true);
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
