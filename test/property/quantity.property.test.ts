import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDuration } from '../../lib/apis/duration.ts';
import { formatBytes, formatCpu, milliValue, parseQuantityNano, unitValue } from '../../lib/apis/quantity.ts';
import { formatResources, parseResources } from '../../lib/core/resources/resources.ts';

const RUN = { seed: 20_260_131, numRuns: 500 };
const amount = fc.nat({ max: 2 ** 40 });

test('cpu that is written is the cpu that is read', () => {
  fc.assert(
    fc.property(amount, (millicores) => {
      expect(milliValue(formatCpu(millicores))).toBe(millicores);
    }),
    RUN,
  );
});

test('resources that are written are those that are read', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('cpu', 'memory', 'pods', 'example.com/x'), amount), (resources) => {
      expect(parseResources(formatResources(resources))).toEqual(resources);
    }),
    RUN,
  );
});

test('bytes that people read are off by less than a tenth of a Mi', () => {
  fc.assert(
    fc.property(amount, (bytes) => {
      expect(Math.abs(unitValue(formatBytes(bytes)) - bytes)).toBeLessThanOrEqual(104_858);
    }),
    RUN,
  );
});

test('a decimal quantity is what its digits say, to the nano-unit', () => {
  fc.assert(
    fc.property(fc.nat({ max: 1e9 }), fc.nat({ max: 999_999_999 }), (whole, nano) => {
      const text = `${whole}.${String(nano).padStart(9, '0')}`;
      expect(parseQuantityNano(text)).toBe(BigInt(whole) * 1_000_000_000n + BigInt(nano));
    }),
    RUN,
  );
});

test('text of any kind is a quantity or is refused; it never throws', () => {
  const text = fc.oneof(fc.string(), fc.stringMatching(/^[+-]?[0-9.]{0,6}[eE]?[0-9]{0,3}[numkKMGTPEi]{0,2}$/));
  fc.assert(
    fc.property(text, (any) => {
      const nano = parseQuantityNano(any);
      expect(nano === undefined || typeof nano === 'bigint').toBe(true);
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
