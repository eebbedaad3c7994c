import { expect, test } from 'vitest';
import { parsePriceFactor } from '../../../lib/apis/formats/price-factor.ts';

test.each([
  ['1', 1],
  ['3', 3],
  ['2.5', 2.5],
  ['Off', Number.POSITIVE_INFINITY],
  ['0.9', undefined],
  ['-3', undefined],
  ['3x', undefined],
  ['off', undefined],
  ['', undefined],
])('%j is the factor %d', (text, factor) => {
  expect(parsePriceFactor(text)).toBe(factor);
});
