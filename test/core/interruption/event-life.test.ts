import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { eventLife, isOver } from '../../../lib/core/interruption/event-life.ts';
import { anInstanceEvent } from '../../builders/interruptions.ts';
import { NOW_MS } from '../../builders/times.ts';

test.each([
  ['EC2 Spot Instance Interruption Warning', 'minutes'],
  ['EC2 Capacity Reservation Instance Interruption Warning', 'minutes'],
  ['EC2 Instance Rebalance Recommendation', 'minutes'],
  ['EC2 Instance State-change Notification', 'quarter-hour'],
  ['EC2 Something New', 'minutes'],
])('the event %s lasts for %s', (type, life) => {
  expect(eventLife(anInstanceEvent(type, { state: 'terminated' }))).toBe(life);
});

test('an event that cannot be parsed may be a warning', () => {
  expect(eventLife('nonsense')).toBe('minutes');
});

test('a warning is over two minutes after its end, because clocks may differ by two minutes', () => {
  const message = { kind: 'spot-interruption', atMs: NOW_MS } as const;
  expect([4, 4.01].map((minutes) => isOver(message, NOW_MS + minutes * MINUTE_MS))).toEqual([false, true]);
});
