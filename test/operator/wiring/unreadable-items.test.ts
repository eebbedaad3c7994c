import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { unreadableItems } from '../../../lib/operator/wiring/unreadable-items.ts';
import { NOW_MS } from '../../builders/times.ts';

test('each item that cannot be read is logged once an hour, whatever the number of lists and runs', () => {
  let nowMs = NOW_MS;
  const logged: string[] = [];
  const error = (_: string, { message }: Error) => void logged.push(message);
  const report = unreadableItems({ error }, { now: () => nowMs });
  for (let minute = 0; minute < 90; minute += 1) {
    for (const name of ['a', 'a', 'b']) report(new Error(`item ${name} cannot be read`));
    nowMs += MINUTE_MS;
  }
  expect(nowMs - NOW_MS).toBeGreaterThan(HOUR_MS);
  expect(logged.toSorted()).toEqual(['a', 'a', 'b', 'b'].map((name) => `item ${name} cannot be read`));
});
