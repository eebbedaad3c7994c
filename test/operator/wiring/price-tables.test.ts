import { expect, test } from 'vitest';
import { readPriceTables } from '../../../lib/operator/wiring/price-tables.ts';

test('the shipped tables hold the prices of a region', () => {
  const { onDemandUsdPerHour, branchInterfaces } = readPriceTables('data', 'eu-west-3');
  expect(onDemandUsdPerHour.get('t4g.medium')).toBeCloseTo(0.0376, 3);
  expect(branchInterfaces.get('m5.large')).toBe(9);
});

test.each(['us-gov-west-1', 'ap-northeast-1'])(
  'C28: a region of which no prices are shipped has those of us-east-1: %s',
  (region) => {
    const { onDemandUsdPerHour, branchInterfaces } = readPriceTables('data', region);
    expect(onDemandUsdPerHour.get('m5.large')).toBe(0.096);
    expect(branchInterfaces.get('m5.large')).toBe(9);
  },
);

test('a region of China has no shipped prices: its price list is in CNY', () => {
  expect(readPriceTables('data', 'cn-north-1').onDemandUsdPerHour.size).toBe(0);
});
