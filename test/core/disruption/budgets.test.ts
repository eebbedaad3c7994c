import { describe, expect, test } from 'vitest';
import { parseTime } from '../../../lib/apis/formats/time.ts';
import type { Labels } from '../../../lib/apis/kubernetes.ts';
import type { DisruptionBudget, DisruptionReason } from '../../../lib/apis/node-pool.ts';
import { budgetRoom, closingSchedule } from '../../../lib/core/disruption/budgets.ts';
import { aNodePool } from '../../builders/node-pools.ts';

const UNLIMITED = Number.MAX_SAFE_INTEGER;
const NIGHTLY = { schedule: '0 22 * * *', duration: '4h' } as const;

function allowed(
  budgets: readonly DisruptionBudget[] | undefined,
  of: {
    readonly nodes?: number;
    readonly at?: string;
    readonly reason?: DisruptionReason;
    readonly annotations?: Labels;
  } = {},
): number {
  const { nodes = 10, at = '2026-01-31T12:00:00Z', reason = 'Empty', annotations = {} } = of;
  const made = aNodePool(budgets === undefined ? {} : { disruption: { budgets } });
  const pool = { ...made, metadata: { ...made.metadata, annotations } };
  return budgetRoom(pool, reason, { nodes, disrupting: 0, nowMs: parseTime(at) }).allowed;
}

describe('how many nodes may go at once', () => {
  test.each([
    ['a count', [{ nodes: '3' }], 3],
    ['none', [{ nodes: '0' }], 0],
    ['a percentage rounds up (E6)', [{ nodes: '25%' }], 3],
    ['the smallest percentage lets one go (E6)', [{ nodes: '1%' }], 1],
    ['0% lets none go', [{ nodes: '0%' }], 0],
    ['100% lets all go', [{ nodes: '100%' }], 10],
    ['the smallest budget counts (E6)', [{ nodes: '5' }, { nodes: '2' }, { nodes: '90%' }], 2],
    ['10% is the default (A1.14)', undefined, 1],
    ['a budget of other reasons does not count (E6)', [{ nodes: '0', reasons: ['Drifted'] as const }], UNLIMITED],
    ['a budget of this reason does (E10)', [{ nodes: '0', reasons: ['Empty', 'Drifted'] as const }], 0],
    ['no budgets at all', [], UNLIMITED],
  ])('%s', (_, budgets, expected) => {
    expect(allowed(budgets)).toBe(expected);
  });

  test('a percentage of nothing is nothing', () => {
    expect(allowed([{ nodes: '10%' }], { nodes: 0 })).toBe(0);
  });

  test.each([
    ['before it opens', '2026-01-31T21:59:00Z', 5],
    ['when it opens', '2026-01-31T22:00:00Z', 0],
    ['after midnight', '2026-02-01T01:59:00Z', 0],
    ['when it is over', '2026-02-01T02:00:00Z', 5],
  ])('a budget with a schedule counts while its window is open: %s (E8)', (_, at, expected) => {
    expect(allowed([{ nodes: '0', ...NIGHTLY }, { nodes: '5' }], { at })).toBe(expected);
  });

  test.each([
    ['UTC', '2026-07-01T22:30:00Z', 0],
    ['Europe/Paris', '2026-07-01T19:59:00Z', 5],
    ['Europe/Paris', '2026-07-01T20:00:00Z', 0],
    ['Europe/Paris', '2026-07-02T00:00:00Z', 5],
    ['Europe/Paris', '2026-01-01T20:30:00Z', 5],
    ['Europe/Paris', '2026-01-01T21:00:00Z', 0],
    ['America/New_York', '2026-07-02T02:00:00Z', 0],
    // The clocks go forward at 02:00 on this night: the window still lasts four hours.
    ['Europe/Paris', '2026-03-29T00:30:00Z', 0],
    ['Europe/Paris', '2026-03-29T01:00:00Z', 5],
  ])('G7, E8: the schedule is in the time zone of the annotation: %s at %s', (timeZone, at, expected) => {
    const annotations = { 'kerf.dev/budget-time-zone': timeZone };
    expect(allowed([{ nodes: '0', ...NIGHTLY }, { nodes: '5' }], { at, annotations })).toBe(expected);
  });

  test('G7: an unknown time zone closes budgets with a schedule, and no others', () => {
    const annotations = { 'kerf.dev/budget-time-zone': 'Mars/Olympus' };
    expect(allowed([{ nodes: '9', ...NIGHTLY }, { nodes: '5' }], { annotations })).toBe(0);
    expect(allowed([{ nodes: '5' }], { annotations })).toBe(5);
  });

  test.each<[string, DisruptionBudget]>([
    ['of any reason', { nodes: '9', schedule: 'whenever', duration: '1h' }],
    ['even of another reason', { nodes: '9', reasons: ['Drifted'], schedule: 'whenever', duration: '1h' }],
    ['or with a duration that is none', { nodes: '9', schedule: '@daily', duration: 'long' }],
  ])('a schedule that cannot be read closes the pool, %s (E6)', (_, budget) => {
    expect(allowed([budget, { nodes: '5' }])).toBe(0);
  });

  test('what is under way is taken off, never below nothing (E6)', () => {
    const pool = aNodePool({ disruption: { budgets: [{ nodes: '3' }] } });
    const room = (disrupting: number) => budgetRoom(pool, 'Empty', { nodes: 10, disrupting, nowMs: 0 });
    expect(room(1)).toEqual({ allowed: 3, disrupting: 1, left: 2 });
    expect(room(5)).toEqual({ allowed: 3, disrupting: 5, left: 0 });
  });
});

function closing(schedule: string, duration: string, at: string): string | undefined {
  const pool = aNodePool({ disruption: { budgets: [{ nodes: '0', schedule, duration }, { nodes: '5' }] } });
  return closingSchedule(pool, 'Empty', { nodes: 10, nowMs: parseTime(at) });
}

describe('the schedule that allows no more disruptions', () => {
  test.each([
    ['its window', '0 22 * * *', '4h', '2026-02-01T01:00:00Z', '2026-02-01T02:00:00Z'],
    ['the last adjoining window', '0 0 * * mon-fri', '24h', '2026-02-03T12:00:00Z', '2026-02-07T00:00:00Z'],
    ['the last of windows that overlap', '0 9-17 * * *', '2h', '2026-02-03T10:30:00Z', '2026-02-03T19:00:00Z'],
  ])('ends with %s', (...[, schedule, duration, at, end]) => {
    expect(closing(schedule, duration, at)).toBe(`schedule "${schedule}" for ${duration}, which ends at ${end}`);
  });

  test('has no end if a window always follows', () => {
    expect(closing('@daily', '24h', '2026-02-03T12:00:00Z')).toBe('schedule "@daily" for 24h');
  });
});
