import { describe, expect, test } from 'vitest';
import type { NodeSelectorRequirement } from '../../../lib/apis/kubernetes.ts';
import {
  admits,
  allowsAbsence,
  implies,
  intersect,
  isEmpty,
  overlaps,
  type Requirement,
  requirement,
  toNodeSelectorRequirements,
} from '../../../lib/core/requirements/requirement.ts';
import { asking } from '../../builders/node-pools.ts';

const of = (from: NodeSelectorRequirement): Requirement => requirement(from);
const KEY = 'size';

/** One of each operator, and the values of 0–9, x and none (-) that it admits. */
const OPERATORS = {
  'In 3,5,x': { from: asking(KEY, 'In', '3', '5', 'x'), admitted: '35x' },
  'In 5': { from: asking(KEY, 'In', '5'), admitted: '5' },
  'NotIn 5,x': { from: asking(KEY, 'NotIn', '5', 'x'), admitted: '012346789-' },
  Exists: { from: asking(KEY, 'Exists'), admitted: '0123456789x' },
  DoesNotExist: { from: asking(KEY, 'DoesNotExist'), admitted: '-' },
  'Gt 5': { from: asking(KEY, 'Gt', '5'), admitted: '6789' },
  'Lt 5': { from: asking(KEY, 'Lt', '5'), admitted: '01234' },
  'Gte 5': { from: asking(KEY, 'Gte', '5'), admitted: '56789' },
  'Lte 5': { from: asking(KEY, 'Lte', '5'), admitted: '012345' },
} as const;

const VALUES = '0123456789x-'.split('');

function admitted(one: Requirement): string {
  return VALUES.filter((value) => admits(one, value === '-' ? undefined : value)).join('');
}

const pairs = Object.entries(OPERATORS).flatMap(([a, left]) =>
  Object.entries(OPERATORS).map(([b, right]) => ({ a, b, left, right })),
);

describe('each operator admits what its name says (A0.4)', () => {
  test.each(Object.entries(OPERATORS))('%s', (_, { from, admitted: expected }) => {
    expect(admitted(of(from))).toBe(expected);
    expect(allowsAbsence(of(from))).toBe(expected.includes('-'));
  });

  test('a bound is of whole numbers: other text is out of it', () => {
    expect(admits(of(asking(KEY, 'Gt', '5')), '6.5')).toBe(false);
    expect(admits(of(asking(KEY, 'Gt', '5')), '10')).toBe(true);
    expect(admits(of(asking(KEY, 'Lt', '5')), '-1')).toBe(true);
  });

  test('In without values matches nothing', () => {
    const nothing = of({ key: KEY, operator: 'In', values: [] });
    expect(isEmpty(nothing)).toBe(true);
    expect(admits(nothing, 'a')).toBe(false);
  });
});

describe('each operator with each operator (A0.4)', () => {
  test.each(pairs)('$a and $b admit what both admit', ({ left, right }) => {
    const both = intersect(of(left.from), of(right.from));
    expect(admitted(both)).toBe(
      left.admitted
        .split('')
        .filter((value) => right.admitted.includes(value))
        .join(''),
    );
  });

  test.each(pairs)('$a overlaps $b where some value meets both', ({ left, right }) => {
    const [a, b] = [of(left.from), of(right.from)];
    expect(overlaps(a, b)).toBe(!isEmpty(intersect(a, b)));
    expect(overlaps(a, b)).toBe(overlaps(b, a));
    expect(overlaps(a, b)).toBe(
      left.admitted.split('').some((value) => value !== '-' && right.admitted.includes(value)),
    );
  });

  test.each(pairs)('$a implies $b where all that it admits is admitted', ({ left, right }) => {
    const all = left.admitted.split('').every((value) => right.admitted.includes(value));
    // A value that nobody has named tells an open set from a listed one.
    const open = admits(of(left.from), '1000000') && !admits(of(right.from), '1000000');
    const low = admits(of(left.from), '-1000000') && !admits(of(right.from), '-1000000');
    expect(implies(of(left.from), of(right.from))).toBe(all && !open && !low);
  });

  test.each(pairs)('$a and $b, written as the API has it and read again, are the same', ({ left, right }) => {
    const both = intersect(of(left.from), of(right.from));
    const again = toNodeSelectorRequirements(both)
      .map(of)
      .reduce((all, one) => intersect(all, one));
    if (admitted(both) !== '') expect(admitted(again)).toBe(admitted(both));
    else expect('0123456789x'.split('').some((value) => admits(again, value))).toBe(false);
  });
});

test('two that cannot both hold match nothing, not even the absent label (A0.4)', () => {
  expect(admitted(intersect(of(asking(KEY, 'In', 'a')), of(asking(KEY, 'In', 'b'))))).toBe('');
  expect(admitted(intersect(of(asking(KEY, 'Gt', '5')), of(asking(KEY, 'Lt', '3'))))).toBe('');
  expect(allowsAbsence(intersect(of(asking(KEY, 'In', 'a')), of(asking(KEY, 'DoesNotExist'))))).toBe(false);
});
