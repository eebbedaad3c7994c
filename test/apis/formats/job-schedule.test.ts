import { describe, expect, test } from 'vitest';
import { isTimeZone, parseJobSchedule } from '../../../lib/apis/formats/job-schedule.ts';
import { formatTime, parseTime } from '../../../lib/apis/formats/time.ts';

/** The next times of the schedule. */
function times([schedule, zone]: readonly [string, string?], from: string, count: number): readonly string[] {
  const next = parseJobSchedule(schedule, zone);
  const found: string[] = [];
  for (let ms = next?.(parseTime(from)); found.length < count && ms !== undefined; ms = next?.(ms))
    found.push(formatTime(ms));
  return found;
}

describe('the schedule of a CronJob', () => {
  test('is in UTC without a time zone', () => {
    expect(times(['30 6 * * mon-fri'], '2026-01-01T00:00:00Z', 3)).toEqual([
      '2026-01-01T06:30:00Z',
      '2026-01-02T06:30:00Z',
      '2026-01-05T06:30:00Z',
    ]);
    expect(times(['@hourly', 'UTC'], '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-01T01:00:00Z']);
  });

  test('follows the clocks of its time zone, also when they change', () => {
    expect(times(['0 9 * * *', 'Europe/Paris'], '2026-03-28T00:00:00Z', 3)).toEqual([
      '2026-03-28T08:00:00Z',
      '2026-03-29T07:00:00Z',
      '2026-03-30T07:00:00Z',
    ]);
    expect(times(['0 9 * * *', 'Asia/Kolkata'], '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-01T03:30:00Z']);
  });

  test('skips a time that the clocks leave out', () => {
    expect(times(['30 2 * * *', 'Europe/Paris'], '2026-03-28T02:00:00Z', 1)).toEqual(['2026-03-30T00:30:00Z']);
  });

  test('fires twice for a time that the clocks repeat', () => {
    expect(times(['30 2 * * *', 'Europe/Paris'], '2026-10-24T12:00:00Z', 3)).toEqual([
      '2026-10-25T00:30:00Z',
      '2026-10-25T01:30:00Z',
      '2026-10-26T01:30:00Z',
    ]);
  });

  test('can be an interval', () => {
    expect(times(['@every 1h30m'], '2026-01-01T00:10:00Z', 2)).toEqual([
      '2026-01-01T01:40:00Z',
      '2026-01-01T03:10:00Z',
    ]);
  });

  test.each(['', '* * * *', '61 * * * *', '@fortnightly', '@every soon'])('cannot be %j', (text) => {
    expect(parseJobSchedule(text)).toBeUndefined();
  });
});

test('time zones have IANA names', () => {
  expect(['Europe/Paris', 'UTC', 'Etc/UTC', 'Mars/Olympus'].map(isTimeZone)).toEqual([true, true, true, false]);
});
