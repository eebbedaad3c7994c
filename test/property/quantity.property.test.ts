import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDuration } from '../../lib/apis/formats/duration.ts';
import { formatBytes, formatCpu, milliValue, parseQuantityNano, unitValue } from '../../lib/apis/formats/quantity.ts';
import { formatResources, parseResources } from '../../lib/core/resources/resources.ts';

const RUN = { seed: 20_260_131, numRuns: 500 };
const amount = fc.nat({ max: 2 ** 40 });

test('cpu that is written is read as the same amount', () => {
  fc.assert(
    fc.property(amount, (millicores) => {
      expect(milliValue(formatCpu(millicores))).toBe(millicores);
    }),
    RUN,
  );
});

test('resources that are written are read as the same amounts', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('cpu', 'memory', 'pods', 'example.com/x'), amount), (resources) => {
      expect(parseResources(formatResources(resources))).toEqual(resources);
    }),
    RUN,
  );
});

test('bytes in messages are rounded by less than a tenth of a Mi', () => {
  fc.assert(
    fc.property(amount, (bytes) => {
      expect(Math.abs(unitValue(formatBytes(bytes)) - bytes)).toBeLessThanOrEqual(104_858);
    }),
    RUN,
  );
});

test('a decimal quantity has the value of its digits, exact to the nano-unit', () => {
  fc.assert(
    fc.property(fc.nat({ max: 1e9 }), fc.nat({ max: 999_999_999 }), (whole, nano) => {
      const text = `${whole}.${String(nano).padStart(9, '0')}`;
      expect(parseQuantityNano(text)).toBe(BigInt(whole) * 1_000_000_000n + BigInt(nano));
    }),
    RUN,
  );
});

const nano = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n });
const written = (nanoUnits: bigint): string => `${nanoUnits}n`;

test('amounts add, subtract and compare as their nano-units do', () => {
  fc.assert(
    fc.property(nano, nano, (a, b) => {
      const [left, right] = [parseQuantityNano(written(a)) ?? 0n, parseQuantityNano(written(b)) ?? 0n];
      expect(parseQuantityNano(written(a + b))).toBe(left + right);
      expect(parseQuantityNano(written(a - b))).toBe(left - right);
      expect(left < right).toBe(a < b);
    }),
    RUN,
  );
});

test('one amount has one value in every unit', () => {
  const steps = [
    ['n', 'u', 1_000],
    ['u', 'm', 1_000],
    ['m', '', 1_000],
    ['', 'k', 1_000],
    ['k', 'M', 1_000],
    ['M', 'G', 1_000],
    ['G', 'T', 1_000],
    ['T', 'P', 1_000],
    ['P', 'E', 1_000],
    ['', 'e1', 10],
    ['e-3', '', 1_000],
    ['', 'Ki', 1_024],
    ['Ki', 'Mi', 1_024],
    ['Mi', 'Gi', 1_024],
    ['Gi', 'Ti', 1_024],
    ['Ti', 'Pi', 1_024],
  ] as const;
  fc.assert(
    fc.property(fc.constantFrom(...steps), fc.integer({ min: -8_000, max: 8_000 }), ([small, large, size], count) => {
      expect(parseQuantityNano(`${count * size}${small}`)).toBe(parseQuantityNano(`${count}${large}`));
    }),
    RUN,
  );
});

test('units and milli-units are the least whole numbers that hold the amount', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 21n }), (nanoUnits) => {
      const [units, milli] = [BigInt(unitValue(written(nanoUnits))), BigInt(milliValue(written(nanoUnits)))];
      expect(units * 10n ** 9n >= nanoUnits && (units - 1n) * 10n ** 9n < nanoUnits).toBe(true);
      expect(milli * 10n ** 6n >= nanoUnits && (milli - 1n) * 10n ** 6n < nanoUnits).toBe(true);
      expect(unitValue(`-${written(nanoUnits)}`)).toBe(units === 0n ? 0 : -Number(units));
    }),
    RUN,
  );
});

test('any text is a quantity or is refused without an exception', () => {
  const text = fc.oneof(fc.string(), fc.stringMatching(/^[+-]?[0-9.]{0,6}[eE]?[0-9]{0,3}[numkKMGTPEi]{0,2}$/));
  fc.assert(
    fc.property(text, (any) => {
      expect(['undefined', 'bigint']).toContain(typeof parseQuantityNano(any));
    }),
    RUN,
  );
});

test('a duration is the sum of its parts', () => {
  fc.assert(
    fc.property(fc.nat(99), fc.nat(59), fc.nat(59), (hours, minutes, seconds) => {
      expect(parseDuration(`${hours}h${minutes}m${seconds}s`)).toBe(((hours * 60 + minutes) * 60 + seconds) * 1_000);
    }),
    RUN,
  );
});
