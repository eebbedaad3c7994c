import { expect, test } from 'vitest';
import { lastTypes } from '../../../lib/controllers/observe/last-types.ts';
import type { InstanceType } from '../../../lib/core/model/instance-type.ts';

const catalogue = () => ({ region: 'us-east-1', asOf: '', facts: [], offerings: [] });
const make = (): readonly InstanceType[] => [];

test('instance types are made once for a catalogue and its inputs', () => {
  const one = catalogue();
  const types = lastTypes(one, 'a', make);
  expect(lastTypes(one, 'a', make)).toBe(types);
  expect(lastTypes(one, 'b', make)).not.toBe(types);
  expect(lastTypes(catalogue(), 'a', make)).not.toBe(types);
});

test('the results that were used last are kept', () => {
  const one = catalogue();
  const [first, second] = [lastTypes(one, '0', make), lastTypes(one, '1', make)];
  for (let at = 2; at < 9; at += 1) {
    lastTypes(one, '0', make);
    lastTypes(one, String(at), make);
  }
  expect(lastTypes(one, '0', make)).toBe(first);
  expect(lastTypes(one, '1', make)).not.toBe(second);
});
