import { expect, test } from 'vitest';
import { reportedRefusals } from '../../../lib/controllers/act/reported-refusals.ts';
import { HOUR, MINUTE } from '../../builders/times.ts';

test('a refusal that persists is reported once an hour', () => {
  const refusals = reportedRefusals();
  const reported = [0, 20, 40, 60, 80].filter((minute) => refusals.isNew('delete', 'denied', minute * MINUTE));
  expect(reported).toEqual([0, 60]);
});

test('a refused action is paused for 5 minutes, and then for as long as it was refused, an hour at most', () => {
  const refusals = reportedRefusals();
  const tries: number[] = [];
  for (let minute = 0; minute <= 300; minute += 1) {
    if (refusals.isPaused('delete', minute * MINUTE)) continue;
    tries.push(minute);
    refusals.isNew('delete', 'denied', minute * MINUTE);
  }
  expect(tries).toEqual([0, 5, 10, 20, 40, 80, 140, 200, 260]);
});

test('a failure persists since its first time, and other refusals are no failures', () => {
  const refusals = reportedRefusals();
  refusals.isNew('demo: evict-pod web', 'budget', 0);
  refusals.isNewFailure('other: read instances: ', '403', 0);
  for (const minute of [0, 1, 2]) refusals.isNewFailure('demo: read instances: ', `403 ${minute}`, minute * MINUTE);
  expect(refusals.persisting('demo: ', 2 * MINUTE)).toEqual([{ message: 'read instances: 403 2', sinceMs: 0 }]);
  expect(refusals.persisting('demo: ', 3 * MINUTE)).toEqual([]);
});

test('a refusal long after the last one begins with a short pause', () => {
  const refusals = reportedRefusals();
  refusals.isNew('delete', 'denied', 0);
  refusals.isNew('delete', 'denied', HOUR);
  refusals.isNew('delete', 'denied', 4 * HOUR);
  expect(refusals.isPaused('delete', 4 * HOUR + 6 * MINUTE)).toBe(false);
});
