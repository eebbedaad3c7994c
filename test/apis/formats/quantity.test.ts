import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  formatBytes,
  formatCpu,
  isQuantity,
  milliValue,
  parseQuantityNano,
  unitValue,
} from '../../../lib/apis/formats/quantity.ts';

/** 2^63 − 1 units. */
const LARGEST = 9_223_372_036_854_775_807n * 1_000_000_000n;

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

  test('fractions of a nano-unit are rounded away from zero', () => {
    expect(parseQuantityNano('0.1n')).toBe(1n);
    expect(parseQuantityNano('1.0000000001')).toBe(1_000_000_001n);
    expect(parseQuantityNano('1e-999999999')).toBe(1n);
    expect(parseQuantityNano(`0.${'0'.repeat(5_000)}1`)).toBe(1n);
  });

  test.each([
    ['1', 1_000],
    ['250m', 250],
    ['1u', 1],
    ['1.0001', 1_001],
    ['-250m', -250],
    ['-1u', -1],
  ])('%s is %i milli-units, rounded away from zero', (text, milli) => {
    expect(milliValue(text)).toBe(milli);
  });

  test.each([
    ['1Ki', 1_024],
    ['1500m', 2],
    ['-1500m', -2],
    ['1m', 1],
    ['0', 0],
    ['128974848', 128_974_848],
    ['129M', 129_000_000],
    ['123Mi', 128_974_848],
  ])('%s is %i units, rounded away from zero', (text, units) => {
    expect(unitValue(text)).toBe(units);
  });

  test('with a binary suffix 2^63 − 1 units are the most; decimals go on', () => {
    expect(parseQuantityNano('8Ei')).toBe(LARGEST);
    expect(parseQuantityNano('-9Ei')).toBe(-LARGEST);
    expect(parseQuantityNano('9223372036854775808')).toBe(LARGEST + 1_000_000_000n);
    expect(parseQuantityNano('10E')).toBe(10n ** 28n);
    expect(unitValue('10E')).toBe(Number(LARGEST / 1_000_000_000n));
  });

  test('amounts of 10^1000 units and more are equal, and are parsed quickly', () => {
    const most = parseQuantityNano('1e1000');
    expect(parseQuantityNano('1e2147483647')).toBe(most);
    expect(parseQuantityNano('9'.repeat(1_000_000))).toBe(most);
    expect(parseQuantityNano(`${'9'.repeat(1_000_000)}e-999999`)).toBe(10_000_000_000n);
  });
});

describe('text that is not a quantity is rejected', () => {
  const nonsense = [
    '',
    ' ',
    'a',
    '1x',
    '1 Gi',
    '1kk',
    '1GI',
    '1gi',
    '--1',
    '1e',
    '1e1Gi',
    '0x10',
    '1,5',
    '1e9223372036854775808',
    '1_000',
    'NaN',
    '.e-10',
  ];
  test.each(nonsense)('"%s"', (text) => {
    expect(isQuantity(text)).toBe(false);
    expect(() => milliValue(text)).toThrow(/is not a quantity; write it as 500m, 2 or 1Gi/);
    expect(() => unitValue(text)).toThrow(RangeError);
  });
});

describe('quantities are written in their short form', () => {
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

/** What the library of Kubernetes makes of each (test/oracle/values): refused, or its spelling, Value() and MilliValue(). */
interface Fixture {
  readonly quantities: readonly (readonly [string, string?, string?, string?])[];
  /** Two amounts, their order, their sum and their difference. */
  readonly pairs: readonly (readonly [string, string, number, string, string])[];
}

describe('Kubernetes reads, compares, adds and subtracts the same', () => {
  const { quantities, pairs }: Fixture = JSON.parse(readFileSync('test/fixtures/values/quantities.json', 'utf8'));
  const accepted = quantities.flatMap(([text, spelling = '', value = '', milli = '']) =>
    spelling === '' ? [] : [{ text, spelling, nano: nanoOf(text), value: BigInt(value), milli: BigInt(milli) }],
  );

  test('every text that it accepts, and no other', () => {
    expect(quantities.length).toBeGreaterThan(2_000);
    expect(quantities.filter(([text, spelling]) => isQuantity(text) !== (spelling !== undefined))).toEqual([]);
  });

  test('its own spelling is the same amount', () => {
    const different = accepted.filter(({ spelling, nano }) => nanoOf(spelling) !== nano);
    // Deliberate: from 10^21 on it has no suffix, and prints the digits as if they were all.
    expect(different.filter(({ nano }) => magnitude(nano) < 10n ** 30n)).toEqual([]);
    expect(different.filter(({ spelling, nano }) => magnitude(nano) % magnitude(nanoOf(spelling)) !== 0n)).toEqual([]);
    expect(different).not.toEqual([]);
  });

  test.each([
    ['units', 1_000_000_000n, unitValue, 'value'],
    ['milli-units', 1_000_000n, milliValue, 'milli'],
  ] as const)('the same %s', (...[, unit, ours, theirs]) => {
    const different = accepted.filter((one) => ours(one.text) !== Number(one[theirs]));
    // Deliberate: what 64 bits do not hold turns into nought or anything there; here it is the most that they hold.
    const held = different.filter(({ nano }) => magnitude(nano) / unit <= LARGEST / 1_000_000_000n);
    expect(held.filter(({ nano }) => nano > 0n)).toEqual([]);
    // Deliberate: fractions below nought go away from it here; there a long one goes up twice, −102.4 to −101, and what
    // is below −2^63 nano-units turns into anything.
    const fractions = held.filter(({ nano }) => nano >= -LARGEST / 1_000_000_000n);
    expect(fractions.filter((one) => one.nano % unit === 0n || one.nano / unit + 1n !== one[theirs])).toEqual([]);
    expect(held.length).toBeLessThan(different.length);
    expect(fractions).not.toEqual([]);
  });

  test('the same order', () => {
    expect(pairs.length).toBeGreaterThan(700);
    expect(pairs.filter(([a, b, theirs]) => order(nanoOf(a), nanoOf(b)) !== theirs)).toEqual([]);
  });

  test('the same sums and differences', () => {
    const results = pairs.flatMap(([a, b, , sum, difference]) => [
      { a, b, theirs: sum, ours: nanoOf(a) + nanoOf(b) },
      { a, b, theirs: difference, ours: nanoOf(a) - nanoOf(b) },
    ]);
    const different = results.filter(({ theirs, ours }) => nanoOf(theirs) !== ours);
    // Deliberate: it prints what it cannot read again, from 2^63 units in binary and from 10^21 in decimals (see above).
    expect(different.filter(({ ours }) => magnitude(ours) <= LARGEST)).toEqual([]);
    expect(different.length).toBeLessThan(results.length / 10);
  });
});

function nanoOf(text: string): bigint {
  const nano = parseQuantityNano(text);
  if (nano === undefined) throw new RangeError(`${text} is not a quantity`);
  return nano;
}

function magnitude(nano: bigint): bigint {
  return nano < 0n ? -nano : nano;
}

function order(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
