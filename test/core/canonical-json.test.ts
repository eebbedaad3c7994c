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
  ['keys in another order', { a: 1, b: { c: 1, d: 2 } }, { b: { d: 2, c: 1 }, a: 1 }, true],
  ['a field that is undefined', { a: 1, b: undefined }, { a: 1 }, true],
  ['a field that only the other one has', { a: 1 }, { a: 1, b: 2 }, false],
  ['a list in another order', [1, 2], [2, 1], false],
  ['a list and an object', [], {}, false],
  ['null and an object', null, {}, false],
])('same content: %s', (_, a, b, isSame) => {
  expect(sameContent(a, b)).toBe(isSame);
  expect(sameContent(b, a)).toBe(isSame);
});
