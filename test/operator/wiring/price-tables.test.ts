import { expect, test } from 'vitest';
import { readPriceTables } from '../../../lib/operator/wiring/price-tables.ts';

test('the shipped tables hold the prices of a region', () => {
  const { onDemandUsdPerHour, branchInterfaces } = readPriceTables('data', 'eu-west-3');
  expect(onDemandUsdPerHour.get('t4g.medium')).toBeCloseTo(0.0376, 3);
  expect(branchInterfaces.get('m5.large')).toBe(9);
});

test('a region of which no prices are shipped has none, and the types are known all the same', () => {
  const { onDemandUsdPerHour, branchInterfaces } = readPriceTables('data', 'ap-northeast-1');
  expect(onDemandUsdPerHour.size).toBe(0);
  expect(branchInterfaces.get('m5.large')).toBe(9);
});
