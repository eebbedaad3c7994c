import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, sameContent } from '../../lib/core/canonical-json.ts';

test('content is the same if its JSON with sorted keys is the same', () => {
  const leaf = fc.constantFrom<unknown>(undefined, null, true, false, 0, 1, '', 'a', 'constructor');
  const { data } = fc.letrec((tie) => ({
    data: fc.oneof(
      leaf,
      fc.array(
        tie('data').filter((one) => one !== undefined),
        { maxLength: 2 },
      ),
      fc.dictionary(fc.constantFrom('a', 'b', 'constructor', 'toString'), tie('data'), { maxKeys: 3 }),
    ),
  }));
  fc.assert(
    fc.property(data, data, (a, b) => {
      expect(sameContent(a, b)).toBe(canonicalJson(a) === canonicalJson(b));
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  { what: 'keys in another order', a: { a: 1, b: { c: 1, d: 2 } }, b: { b: { d: 2, c: 1 }, a: 1 }, isSame: true },
  { what: 'a field that is undefined', a: { a: 1, b: undefined }, b: { a: 1 }, isSame: true },
  { what: 'a field that only one has', a: { a: 1 }, b: { a: 1, b: 2 }, isSame: false },
  { what: 'a list in another order', a: [1, 2], b: [2, 1], isSame: false },
  { what: 'a list and an object', a: [], b: {}, isSame: false },
  { what: 'null and an object', a: null, b: {}, isSame: false },
])('same content, $what: $isSame', ({ a, b, isSame }) => {
  expect(sameContent(a, b)).toBe(isSame);
  expect(sameContent(b, a)).toBe(isSame);
});
