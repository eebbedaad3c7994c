import { expect, test } from 'vitest';
import { OptionError } from '../../lib/operator/options.ts';
import { readPriceTables } from '../../lib/operator/price-tables.ts';

test('the shipped tables hold the prices of a region', () => {
  const { onDemandUsdPerHour, branchInterfaces } = readPriceTables('data', 'eu-west-3');
  expect(onDemandUsdPerHour.get('t4g.medium')).toBeCloseTo(0.0376, 3);
  expect(branchInterfaces.get('m5.large')).toBe(9);
});

test('a region without prices is refused by name', () => {
  expect(() => readPriceTables('data', 'mars-north-1')).toThrow(OptionError);
  expect(() => readPriceTables('data', 'mars-north-1')).toThrow(/mars-north-1: there are .*eu-west-3/);
});
