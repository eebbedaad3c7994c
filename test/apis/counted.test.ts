import { expect, test } from 'vitest';
import { firstNames } from '../../lib/apis/counted.ts';

test.each([
  { names: ['a', 'b'], most: 3, text: 'a, b' },
  { names: ['a', 'b', 'c'], most: 3, text: 'a, b, c' },
  { names: ['a', 'b', 'c'], most: 2, text: 'a, b and 1 more' },
  { names: ['a', 'b'], most: 3, count: 7, text: 'a, b and 5 more' },
  { names: ['a', 'b', 'c'], most: 2, count: 7, text: 'a, b and 5 more' },
])('$names of $count: $text', ({ names, most, count, text }) => {
  expect(firstNames(names, most, count)).toBe(text);
});
