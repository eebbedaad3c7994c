import { expect, test } from 'vitest';
import { formatTime, parseTime, utcFields } from '../../lib/apis/time.ts';

test('an instant is read from RFC 3339 text, whatever its offset, and written in UTC to the second', () => {
  expect(formatTime(parseTime('2026-01-31T09:00:00.999+01:00'))).toBe('2026-01-31T08:00:00Z');
});

test('text that is no instant is refused with the way to write it', () => {
  expect(() => parseTime('tomorrow')).toThrow('"tomorrow" is not a time: write it as 2026-01-31T08:00:00Z');
});

test('the calendar counts months from 1 and weekdays from Sunday', () => {
  expect(utcFields(parseTime('2026-02-01T23:59:00Z'))).toEqual({
    minute: 59,
    hour: 23,
    dayOfMonth: 1,
    month: 2,
    dayOfWeek: 0,
  });
});
