import { expect, test } from 'vitest';
import { formatTime, parseTime } from '../../../lib/apis/formats/time.ts';

test('an instant is read from RFC 3339 text, whatever its offset, and written in UTC to the second', () => {
  expect(formatTime(parseTime('2026-01-31T09:00:00.999+01:00'))).toBe('2026-01-31T08:00:00Z');
});

test('text that is not a time is rejected with an example', () => {
  expect(() => parseTime('tomorrow')).toThrow('"tomorrow" is not a time; write it as 2026-01-31T08:00:00Z');
});
