import { expect, test } from 'vitest';
import { dateOfDay, datesOfYears, newYearsDay } from '../../../lib/apis/formats/calendar.ts';
import { HOUR_MS, parseTime } from '../../../lib/apis/formats/time.ts';

test.each([1600, 1900, 1970, 2000, 2026, 2028, 2100, 2400])(
  'each day of %i is the day that Date makes of it',
  (year) => {
    for (const date of datesOfYears(year, year)) {
      const theirs = new Date(date.day * 24 * HOUR_MS);
      expect(date).toEqual({
        day: date.day,
        year: theirs.getUTCFullYear(),
        month: theirs.getUTCMonth() + 1,
        dayOfMonth: theirs.getUTCDate(),
        dayOfWeek: theirs.getUTCDay(),
      });
      expect(dateOfDay(date.day)).toEqual(date);
    }
  },
);

test('years follow upon one another without a gap', () => {
  const dates = [...datesOfYears(1999, 2001)];
  expect(dates.map(({ day }) => day)).toEqual(dates.map((_, index) => newYearsDay(1999) + index));
  expect(dates).toHaveLength(newYearsDay(2002) - newYearsDay(1999));
});

test('the calendar counts months from 1 and weekdays from Sunday', () => {
  const day = Math.floor(parseTime('2026-02-01T23:59:00Z') / (24 * HOUR_MS));
  expect(dateOfDay(day)).toEqual({ day, year: 2026, dayOfMonth: 1, month: 2, dayOfWeek: 0 });
});
