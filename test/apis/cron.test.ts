import { describe, expect, test } from 'vitest';
import { firesAt, isWindowOpen, parseCron } from '../../lib/apis/cron.ts';
import { HOUR_MS, MINUTE_MS, parseTime } from '../../lib/apis/time.ts';

/** Whether the schedule fires in the minute of the instant. */
function fires(schedule: string, time: string): boolean | undefined {
  const cron = parseCron(schedule);
  return cron && firesAt(cron, parseTime(time));
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
  ])('"%s" is no schedule', (text) => {
    expect(parseCron(text)).toBeUndefined();
  });
});

describe('a window is open from when the schedule fires until its duration has passed (E8)', () => {
  const nightly = parseCron('0 22 * * *');
  test.each([
    ['2026-01-31T21:59:59Z', false],
    ['2026-01-31T22:00:00Z', true],
    ['2026-02-01T01:59:59Z', true],
    ['2026-02-01T02:00:00Z', false],
  ])('22:00 for 4 h, at %s: %s', (time, open) => {
    expect(nightly && isWindowOpen(nightly, 4 * HOUR_MS, parseTime(time))).toBe(open);
  });

  test('a window longer than the pause between two is always open', () => {
    const hourly = parseCron('@hourly');
    expect(hourly && isWindowOpen(hourly, 61 * MINUTE_MS, parseTime('2026-01-31T08:59:59Z'))).toBe(true);
  });

  test('29 February comes in leap years alone', () => {
    expect(fires('0 0 29 2 *', '2028-02-29T00:00:00Z')).toBe(true);
    expect(fires('0 0 29 2 *', '2026-03-01T00:00:00Z')).toBe(false);
  });
});
