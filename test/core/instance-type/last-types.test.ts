import { expect, test } from 'vitest';
import { lastTypes } from '../../../lib/core/instance-type/last-types.ts';
import type { InstanceType } from '../../../lib/core/model/instance-type.ts';

const catalogue = () => ({ region: 'us-east-1', asOf: '', facts: [], offerings: [] });
const make = (): readonly InstanceType[] => [];
const inputs = (settings: string, capacity = '') => ({ settings, capacity });

test('instance types are made once for a catalogue and its inputs', () => {
  const one = catalogue();
  const types = lastTypes(one, inputs('a'), make);
  expect(lastTypes(one, inputs('a'), make)).toBe(types);
  expect(lastTypes(one, inputs('b'), make)).not.toBe(types);
  expect(lastTypes(one, inputs('a', 'less'), make)).not.toBe(types);
  expect(lastTypes(catalogue(), inputs('a'), make)).not.toBe(types);
});

test('the results that were used last are kept', () => {
  const one = catalogue();
  const [first, second] = [lastTypes(one, inputs('0'), make), lastTypes(one, inputs('1'), make)];
  for (let at = 2; at < 9; at += 1) {
    lastTypes(one, inputs('0'), make);
    lastTypes(one, inputs(String(at)), make);
  }
  expect(lastTypes(one, inputs('0'), make)).toBe(first);
  expect(lastTypes(one, inputs('1'), make)).not.toBe(second);
});

test('instance types are made from the last ones with the same settings', () => {
  const one = catalogue();
  const [first, less] = [lastTypes(one, inputs('a', 'all'), make), lastTypes(one, inputs('a', 'less'), make)];
  lastTypes(one, inputs('b', 'less'), make);
  const from = (settings: string, capacity: string) => {
    let seen: readonly InstanceType[] | undefined;
    lastTypes(one, inputs(settings, capacity), (before) => {
      seen = before;
      return [];
    });
    return seen;
  };
  expect(from('a', 'none')).toBe(less);
  expect(lastTypes(one, inputs('a', 'all'), make)).toBe(first);
  expect(from('a', 'other')).toBe(first);
  expect(from('c', 'all')).toEqual([]);
});
