import { describe, expect, test } from 'vitest';
import {
  formatBytes,
  formatCpu,
  isQuantity,
  milliValue,
  parseQuantityNano,
  unitValue,
} from '../../lib/apis/quantity.ts';

describe('quantities are exact', () => {
  test.each([
    ['0', 0n],
    ['1', 1_000_000_000n],
    ['500m', 500_000_000n],
    ['0.5', 500_000_000n],
    ['.5', 500_000_000n],
    ['5.', 5_000_000_000n],
    ['+2', 2_000_000_000n],
    ['-2', -2_000_000_000n],
    ['1e3', 1_000_000_000_000n],
    ['1E3', 1_000_000_000_000n],
    ['1.5e-3', 1_500_000n],
    ['1k', 1_000_000_000_000n],
    ['1Ki', 1_024_000_000_000n],
    ['1.5Gi', 1_610_612_736_000_000_000n],
    ['1u', 1_000n],
    ['1n', 1n],
    ['1E', 10n ** 27n],
    [2, 2_000_000_000n],
    [0.1, 100_000_000n],
  ] as const)('%s is %s nano-units', (text, nano) => {
    expect(parseQuantityNano(text)).toBe(nano);
  });

  test.each([
    ['0.1', '100m'],
    ['1024Mi', '1Gi'],
    ['1000m', '1'],
    ['1e6', '1M'],
    ['1.5', '1500m'],
  ])('%s and %s are one amount', (a, b) => {
    expect(parseQuantityNano(a)).toBe(parseQuantityNano(b));
  });

  test('what is finer than a nano-unit is rounded up, away from nothing', () => {
    expect(parseQuantityNano('0.1n')).toBe(1n);
    expect(parseQuantityNano('1.0000000001')).toBe(1_000_000_001n);
  });

  test.each([
    ['1', 1_000],
    ['250m', 250],
    ['1u', 1],
    ['1.0001', 1_001],
    ['-250m', -250],
  ])('%s is %i milli-units, rounded up', (text, milli) => {
    expect(milliValue(text)).toBe(milli);
  });

  test.each([
    ['1Ki', 1_024],
    ['1500m', 2],
    ['1m', 1],
    ['0', 0],
    ['128974848', 128_974_848],
    ['129M', 129_000_000],
    ['123Mi', 128_974_848],
  ])('%s is %i units, rounded up', (text, units) => {
    expect(unitValue(text)).toBe(units);
  });

  test('the largest quantity is 2^63 − 1 units; one more is refused', () => {
    expect(parseQuantityNano('9223372036854775807')).toBe(9_223_372_036_854_775_807n * 10n ** 9n);
    expect(parseQuantityNano('9223372036854775808')).toBeUndefined();
    expect(parseQuantityNano('7Ei')).toBeDefined();
    expect(parseQuantityNano('8Ei')).toBeUndefined();
  });
});

describe('text that is no quantity is refused', () => {
  const nonsense = [
    '',
    ' ',
    'a',
    '1x',
    '1 Gi',
    'Gi',
    '1kk',
    '1GI',
    '1gi',
    '--1',
    '1e',
    '1e1Gi',
    '0x10',
    '1,5',
    '1e99',
    '1_000',
    'NaN',
    '.',
  ];
  test.each(nonsense)('"%s"', (text) => {
    expect(isQuantity(text)).toBe(false);
    expect(() => milliValue(text)).toThrow(/is not a quantity: write it as 500m, 2 or 1Gi/);
    expect(() => unitValue(text)).toThrow(RangeError);
  });
});

describe('quantities are written as people write them', () => {
  test.each([
    [1_500, '1500m'],
    [2_000, '2'],
    [0, '0'],
  ])('%i millicores are %s', (millicores, text) => {
    expect(formatCpu(millicores)).toBe(text);
  });

  test.each([
    [0, '0'],
    [1_023, '1023'],
    [1_024, '1Ki'],
    [1_048_576, '1Mi'],
    [1_610_612_736, '1536Mi'],
    [8 * 2 ** 30, '8Gi'],
    [2 ** 40, '1Ti'],
    [1_500_000_000, '1430.5Mi'],
  ])('%i bytes are %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});
