import { describe, expect, test } from 'vitest';
import type { NodeSelectorRequirement } from '../../../lib/apis/kubernetes.ts';
import {
  admits,
  admitsNothing,
  allowsAbsence,
  implies,
  intersect,
  overlaps,
  type Requirement,
  requirement,
  toNodeSelectorRequirements,
} from '../../../lib/core/requirements/requirement.ts';
import { formatRequirement } from '../../../lib/core/requirements/requirements.ts';
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
    expect(admitsNothing(nothing)).toBe(true);
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
    expect(overlaps(a, b)).toBe(!admitsNothing(intersect(a, b)));
    expect(overlaps(a, b)).toBe(overlaps(b, a));
    expect(overlaps(a, b)).toBe(
      left.admitted.split('').some((value) => value !== '-' && right.admitted.includes(value)),
    );
  });

  test.each(pairs)('$a implies $b where all that it admits is admitted', ({ left, right }) => {
    const all = left.admitted.split('').every((value) => right.admitted.includes(value));
    // A value that no requirement names distinguishes an open set from a listed one.
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

/** The columns and rows of the table below. */
const IN_TABLE = {
  'In 3,8': asking(KEY, 'In', '3', '8'),
  'NotIn 3': asking(KEY, 'NotIn', '3'),
  Exists: asking(KEY, 'Exists'),
  DoesNotExist: asking(KEY, 'DoesNotExist'),
  'Gt 5': asking(KEY, 'Gt', '5'),
  'Lt 5': asking(KEY, 'Lt', '5'),
  'Gte 8': asking(KEY, 'Gte', '8'),
  'Lte 3': asking(KEY, 'Lte', '3'),
} as const;

/** Half of it: the other half mirrors it. Nothing: no value will do, and no absence. */
const TABLE: Readonly<Record<keyof typeof IN_TABLE, readonly string[]>> = {
  'In 3,8': ['In [3, 8]'],
  'NotIn 3': ['In [8]', 'NotIn [3]'],
  Exists: ['In [3, 8]', 'NotIn [3], Exists', 'Exists'],
  DoesNotExist: ['In []', 'DoesNotExist', 'In []', 'DoesNotExist'],
  'Gt 5': ['In [8]', 'Gte [6]', 'Gte [6]', 'In []', 'Gte [6]'],
  'Lt 5': ['In [3]', 'NotIn [3], Lte [4]', 'Lte [4]', 'In []', 'In []', 'Lte [4]'],
  'Gte 8': ['In [8]', 'Gte [8]', 'Gte [8]', 'In []', 'Gte [8]', 'In []', 'Gte [8]'],
  'Lte 3': ['In [3]', 'NotIn [3], Lte [3]', 'Lte [3]', 'In []', 'In []', 'Lte [3]', 'In []', 'Lte [3]'],
};

describe('the intersection of each operator with each operator, written out (A0.4)', () => {
  const cells = Object.entries(TABLE).flatMap(([row, expected]) =>
    Object.entries(IN_TABLE)
      .slice(0, expected.length)
      .map(([column, right], index) => ({ row, column, right, expected: expected[index] })),
  );

  test.each(cells)('$row and $column: $expected', ({ row, right, expected }) => {
    const left = Object.entries(IN_TABLE).find(([name]) => name === row)?.[1] ?? right;
    expect(formatRequirement(intersect(of(left), of(right)))).toBe(expected);
    expect(formatRequirement(intersect(of(right), of(left)))).toBe(expected);
  });
});

describe('bounds are of whole numbers of 64 bits (A0.4)', () => {
  test.each([
    ['Gt', '5', '007', true],
    ['Gt', '5', '+7', true],
    ['Gt', '007', '7', false],
    ['Gte', '007', '7', true],
    ['Gt', '-3', '-2', true],
    ['Gt', '5', '7.0', false],
    ['Gt', '5', '7x', false],
    ['Gt', '5', '', false],
    ['Gt', '9007199254740992', '9007199254740993', true],
    ['Lt', '9007199254740993', '9007199254740992', true],
    ['Gte', '9223372036854775807', '9223372036854775807', true],
    ['Gt', '5', '9223372036854775808', false],
    ['Gt', '9223372036854775807', '9223372036854775807', false],
    ['Lte', '99999999999999999999', '9223372036854775807', true],
    ['Lte', '5', '-9223372036854775808', true],
    ['Lte', '5', '-9223372036854775809', false],
    ['Gt', 'x', '5', false],
    ['Lt', 'x', '-5', false],
  ] as const)('%s %s, of a label %s: %s', (...[operator, bound, value, expected]) => {
    expect(admits(of(asking(KEY, operator, bound)), value)).toBe(expected);
  });

  test('a bound with no number above it overlaps nothing', () => {
    const beyond = of(asking(KEY, 'Gt', '9223372036854775807'));
    expect(overlaps(beyond, of(asking(KEY, 'Exists')))).toBe(false);
    expect(overlaps(of(asking(KEY, 'Lt', '-9223372036854775808')), of(asking(KEY, 'Exists')))).toBe(false);
  });
});

describe('minValues (A1.6)', () => {
  const flexible = (minValues: number): Requirement => requirement({ ...asking(KEY, 'Exists'), minValues });

  test('of two the larger stays, whatever else they ask', () => {
    expect(intersect(flexible(2), flexible(3)).minValues).toBe(3);
    expect(intersect(flexible(2), of(asking(KEY, 'In', 'a'))).minValues).toBe(2);
    expect(intersect(of(asking(KEY, 'DoesNotExist')), flexible(2)).minValues).toBe(2);
    expect(intersect(of(asking(KEY, 'Exists')), of(asking(KEY, 'Exists')))).not.toHaveProperty('minValues');
  });

  test('they change nothing about matching', () => {
    expect(admits(flexible(50), 'a')).toBe(true);
    expect(overlaps(flexible(50), of(asking(KEY, 'In', 'a')))).toBe(true);
  });

  test('they are written with each line of the API form (A2.1)', () => {
    const both = intersect(
      requirement({ ...asking(KEY, 'Gt', '1'), minValues: 2 }),
      requirement({ ...asking(KEY, 'Lt', '9'), minValues: 3 }),
    );
    expect(toNodeSelectorRequirements(both)).toEqual([
      { ...asking(KEY, 'Gte', '2'), minValues: 3 },
      { ...asking(KEY, 'Lte', '8'), minValues: 3 },
    ]);
  });
});

test('of fewer values than minValues all are written as needed, for the API refuses more (A1.6)', () => {
  const narrowed = intersect(
    requirement({ ...asking(KEY, 'In', 'a', 'b'), minValues: 2 }),
    requirement(asking(KEY, 'In', 'a')),
  );
  expect(toNodeSelectorRequirements(narrowed)).toEqual([{ ...asking(KEY, 'In', 'a'), minValues: 1 }]);
});

test('two that cannot both hold match nothing, not even the absent label (A0.4)', () => {
  expect(admitted(intersect(of(asking(KEY, 'In', 'a')), of(asking(KEY, 'In', 'b'))))).toBe('');
  expect(admitted(intersect(of(asking(KEY, 'Gt', '5')), of(asking(KEY, 'Lt', '3'))))).toBe('');
  expect(allowsAbsence(intersect(of(asking(KEY, 'In', 'a')), of(asking(KEY, 'DoesNotExist'))))).toBe(false);
});
