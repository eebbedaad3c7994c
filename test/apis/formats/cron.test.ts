import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type CronSchedule,
  isAlwaysOpen,
  isWindowOpen,
  nextFiring,
  parseCron,
} from '../../../lib/apis/formats/cron.ts';
import { HOUR_MS, MINUTE_MS, parseTime } from '../../../lib/apis/formats/time.ts';

const DAY_MS = 24 * HOUR_MS;

function cron(text: string): CronSchedule {
  const schedule = parseCron(text);
  if (schedule === undefined) throw new RangeError(`${text} is not a schedule`);
  return schedule;
}

function firingsOf(text: string): (afterMs: number) => number | undefined {
  return (afterMs) => nextFiring(cron(text), afterMs);
}

/** Whether the schedule fires in the minute of the instant. */
function fires(schedule: string, time: string): boolean {
  const minuteMs = Math.floor(parseTime(time) / MINUTE_MS) * MINUTE_MS;
  return nextFiring(cron(schedule), minuteMs - 1) === minuteMs;
}

describe('schedules as robfig/cron reads them (A1.17)', () => {
  test.each([
    // 2026-01-31 is a Saturday, 2026-02-01 a Sunday.
    ['* * * * *', '2026-01-31T08:17:59Z', true],
    ['17 8 * * *', '2026-01-31T08:17:00Z', true],
    ['17 8 * * *', '2026-01-31T08:18:00Z', false],
    ['0-10 8 * * *', '2026-01-31T08:10:00Z', true],
    ['0-10 8 * * *', '2026-01-31T08:11:00Z', false],
    ['*/15 * * * *', '2026-01-31T08:45:00Z', true],
    ['*/15 * * * *', '2026-01-31T08:46:00Z', false],
    ['5/15 * * * *', '2026-01-31T08:50:00Z', true],
    ['5/15 * * * *', '2026-01-31T08:00:00Z', false],
    ['10-30/10 * * * *', '2026-01-31T08:20:00Z', true],
    ['10-30/10 * * * *', '2026-01-31T08:40:00Z', false],
    ['1,2,30 * * * *', '2026-01-31T08:30:00Z', true],
    ['0 9-17 * * mon-fri', '2026-01-30T09:00:00Z', true],
    ['0 9-17 * * mon-fri', '2026-01-31T09:00:00Z', false],
    ['0 0 * JAN SAT', '2026-01-31T00:00:00Z', true],
    ['0 0 ? 2-12/2 ?', '2026-02-01T00:00:00Z', true],
    ['0 0 ? 2-12/2 ?', '2026-03-01T00:00:00Z', false],
    ['0 0 * * 0', '2026-02-01T00:00:00Z', true],
    ['@hourly', '2026-01-31T08:00:00Z', true],
    ['@daily', '2026-01-31T08:00:00Z', false],
    ['@midnight', '2026-01-31T00:00:00Z', true],
    ['@weekly', '2026-02-01T00:00:00Z', true],
    ['@monthly', '2026-02-01T00:00:00Z', true],
    ['@monthly', '2026-02-02T00:00:00Z', false],
    ['@yearly', '2026-01-01T00:00:00Z', true],
    ['@annually', '2026-02-01T00:00:00Z', false],
  ])('%s at %s: %s', (schedule, time, expected) => {
    expect(fires(schedule, time)).toBe(expected);
  });

  test.each([
    ['the date alone', '0 0 13 * 5', '2026-01-13T00:00:00Z', true],
    ['the weekday alone', '0 0 13 * 5', '2026-01-30T00:00:00Z', true],
    ['neither', '0 0 13 * 5', '2026-01-31T00:00:00Z', false],
    ['any date: the weekday decides', '0 0 * * 5', '2026-01-13T00:00:00Z', false],
    ['any weekday: the date decides', '0 0 13 * *', '2026-01-30T00:00:00Z', false],
    ['a stepped star restricts: either day suffices', '0 0 */2 * 5', '2026-01-30T00:00:00Z', true],
    ['a stepped star restricts: either day suffices', '0 0 */2 * 5', '2026-01-29T00:00:00Z', true],
    ['a star stepped by one is a star', '0 0 */1 * 5', '2026-01-29T00:00:00Z', false],
    ['a star anywhere in the list is a star', '0 0 13,* * 5', '2026-01-29T00:00:00Z', false],
  ])('with both day fields restricted one of them suffices: %s', (...[, schedule, time, expected]) => {
    expect(fires(schedule, time)).toBe(expected);
  });

  test.each([
    '',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * 32 * *',
    '* * * 0 *',
    '* * * 13 *',
    '* * * * 7',
    '5-1 * * * *',
    '1-2-3 * * * *',
    '*/0 * * * *',
    '*/ * * * *',
    '*/1/2 * * * *',
    '*/-1 * * * *',
    '*/1.5 * * * *',
    '*/1e1 * * * *',
    '*/0x5 * * * *',
    '-1 * * * *',
    '1e1 * * * *',
    'jan * * * *',
    '* * * mon *',
    '* * * foo *',
    'constructor',
    '__proto__',
    '@reboot',
    '@constructor',
    'constructor * * * *',
    '* * * constructor *',
  ])('"%s" is not a schedule', (text) => {
    expect(parseCron(text)).toBeUndefined();
  });
});

describe('a window is open from when the schedule fires until its duration has passed (E8)', () => {
  test.each([
    ['2026-01-31T21:59:59Z', false],
    ['2026-01-31T22:00:00Z', true],
    ['2026-02-01T01:59:59Z', true],
    ['2026-02-01T02:00:00Z', false],
  ])('22:00 for 4 h, at %s: %s', (time, open) => {
    expect(isWindowOpen(firingsOf('0 22 * * *'), 4 * HOUR_MS, parseTime(time))).toBe(open);
  });

  test('a window longer than the pause between two is always open', () => {
    expect(isWindowOpen(firingsOf('@hourly'), 61 * MINUTE_MS, parseTime('2026-01-31T08:59:59Z'))).toBe(true);
  });

  test('29 February exists only in leap years', () => {
    expect(fires('0 0 29 2 *', '2028-02-29T00:00:00Z')).toBe(true);
    expect(fires('0 0 29 2 *', '2026-03-01T00:00:00Z')).toBe(false);
  });

  test('a schedule that never fires is always open, as with Karpenter', () => {
    expect(isWindowOpen(firingsOf('0 0 30 2 *'), HOUR_MS, parseTime('2026-01-31T08:00:00Z'))).toBe(true);
  });
});

describe('windows are always open if they are at least as long as the longest interval of the schedule', () => {
  test.each<[string, number, boolean]>([
    ['* * * * *', MINUTE_MS, true],
    ['* * * * *', MINUTE_MS - 1, false],
    ['*/15 * * * *', 15 * MINUTE_MS, true],
    ['*/7 * * * *', 7 * MINUTE_MS, true],
    ['7-59/7 * * * *', 7 * MINUTE_MS, false],
    ['@hourly', HOUR_MS, true],
    ['@hourly', HOUR_MS - 1, false],
    ['0 9-17 * * *', HOUR_MS, false],
    ['0 9-17 * * *', 16 * HOUR_MS, true],
    ['@daily', DAY_MS, true],
    ['@daily', DAY_MS - MINUTE_MS, false],
    ['0 22 * * *', 4 * HOUR_MS, false],
    ['0 0 * * mon-fri', 2 * DAY_MS, false],
    ['0 0 * * mon-fri', 3 * DAY_MS, true],
    ['0 22 * * mon', 7 * DAY_MS, true],
    ['@monthly', 31 * DAY_MS, true],
    ['@monthly', 31 * DAY_MS - 1, false],
    ['0 0 31 * *', 61 * DAY_MS - 1, false],
    ['0 0 31 * *', 61 * DAY_MS, true],
    ['0 0 29-31 * *', 57 * DAY_MS, true],
    ['0 0 29-31 * *', 57 * DAY_MS - 1, false],
    ['0 0 29 * *', 59 * DAY_MS, true],
    ['0 0 29 * *', 59 * DAY_MS - 1, false],
    ['0 0 13 * 5', 7 * DAY_MS, true],
    ['0 0 13 * 5', 7 * DAY_MS - 1, false],
    ['@yearly', 366 * DAY_MS, true],
    ['@yearly', 365 * DAY_MS, false],
    // From 2096 to 2104 it takes eight years; Karpenter looks from 2099 on.
    ['0 0 29 2 *', 4 * 366 * DAY_MS, false],
    ['0 0 29 2 *', (5 * 365 + 59) * DAY_MS - 1, false],
    ['0 0 29 2 *', (5 * 365 + 59) * DAY_MS, true],
    ['0 0 30 2 *', MINUTE_MS, true],
    [', * * * *', MINUTE_MS, true],
  ])('%s for %i ms: %s', (schedule, durationMs, expected) => {
    expect(isAlwaysOpen(cron(schedule), durationMs)).toBe(expected);
  });
});

function listUpTo(most: number): fc.Arbitrary<string> {
  return fc.uniqueArray(fc.nat({ max: most }), { minLength: 1, maxLength: 5 }).map((values) => values.join(','));
}

describe('the results match at each instant', () => {
  const weekly = fc
    .tuple(listUpTo(23), fc.oneof(fc.constant('*'), listUpTo(6)))
    .map(([hours, days]) => `0 ${hours} * * ${days}`);
  const RUN = { seed: 20_260_131, numRuns: 200 };

  test('windows that always are open are so at the end of each hour of a week, and others are not', () => {
    fc.assert(
      fc.property(weekly, fc.nat({ max: 72 }), (text, hours) => {
        const ends = [...Array(7 * 24).keys()].map((hour) => (hour + 1) * HOUR_MS - 1);
        const open = ends.every((end) => isWindowOpen(firingsOf(text), hours * HOUR_MS, end));
        expect(isAlwaysOpen(cron(text), hours * HOUR_MS)).toBe(open);
      }),
      RUN,
    );
  });

  test('no schedule fires between an instant and its next firing, and it fires then', () => {
    fc.assert(
      fc.property(weekly, fc.nat({ max: 2 ** 40 }), (text, afterMs) => {
        const firing = nextFiring(cron(text), afterMs) ?? 0;
        expect(firing).toBeGreaterThan(afterMs);
        expect(nextFiring(cron(text), firing - 1)).toBe(firing);
        expect(isWindowOpen(firingsOf(text), firing - afterMs, firing - 1)).toBe(false);
      }),
      RUN,
    );
  });
});

describe('the library of Karpenter gives the same results (test/oracle/values)', () => {
  /** Seconds; null where none comes in five years. */
  type Firing = number | null;
  interface Fixture {
    readonly after: readonly number[];
    readonly schedules: readonly (readonly [string, Firing?, Firing?, Firing?])[];
  }
  const { after, schedules }: Fixture = JSON.parse(readFileSync('test/fixtures/values/cron.json', 'utf8'));

  test('every schedule that it accepts, and no other', () => {
    expect(schedules.length).toBeGreaterThan(600);
    const different = schedules.filter(([text, first]) => (parseCron(text) === undefined) !== (first === undefined));
    // Deliberate: the patterns of the API let no @every through (A1.17).
    expect(different.filter(([text]) => !text.startsWith('@every '))).toEqual([]);
    expect(different.filter(([text]) => parseCron(text) !== undefined)).toEqual([]);
  });

  test('and finds the same next firing', () => {
    const different = schedules.flatMap(([text, ...firings]) => {
      const schedule = parseCron(text);
      if (schedule === undefined) return [];
      const ours = after.map((second) => nextFiring(schedule, second * 1_000) ?? null);
      return ours.every((ms, index) => ms === (firings[index] ?? null) || ms === Number(firings[index]) * 1_000)
        ? []
        : [{ text, ours, theirs: firings }];
    });
    expect(different).toEqual([]);
  });
});
