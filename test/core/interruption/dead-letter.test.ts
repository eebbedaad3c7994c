import { expect, test } from 'vitest';
import { formatTime } from '../../../lib/apis/formats/time.ts';
import { describeLetter } from '../../../lib/core/interruption/dead-letter.ts';
import { anInterruptionEvent } from '../../builders/interruptions.ts';
import { MINUTE, NOW_MS } from '../../builders/times.ts';

function spotWarning(ageMs: number): string {
  const time = formatTime(NOW_MS - ageMs);
  const event = anInterruptionEvent('EC2 Spot Instance Interruption Warning', { 'instance-id': 'i-1' }, { time });
  return JSON.stringify(event);
}

test.each([
  ['a spot warning of a minute ago', spotWarning(MINUTE), 'spot-interruption of i-1', false],
  ['a spot warning of an hour ago', spotWarning(60 * MINUTE), 'spot-interruption of i-1', true],
  ['a wake', '{"cluster":"demo","reason":"tick"}', 'wake of demo: tick', true],
  // Its function has no queue: sent to that of another function, it would become a dead letter again.
  ['a wake of the catalogue', '{"cluster":"*","reason":"tick"}', 'refresh of the catalogue: tick', true],
  ['text', 'nonsense', 'a message that cannot be read: it is not an object', false],
])('%s is described, with whether it is over', (_, body, ...[about, isOver]) => {
  expect(describeLetter(body, { sentAtMs: NOW_MS - 2 * MINUTE, nowMs: NOW_MS })).toEqual({ about, isOver });
});
