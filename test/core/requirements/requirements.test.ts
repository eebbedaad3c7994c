import { describe, expect, test } from 'vitest';
import type { NodeSelectorRequirement } from '../../../lib/apis/kubernetes.ts';
import {
  formatRequirement,
  includes,
  intersects,
  isCompatible,
  merge,
  type Requirements,
  requirementsFrom,
  requirementsFromLabels,
  requirementsFromValues,
  singleValues,
  toNodeSelector,
  whyIncompatible,
  whyLabelsFail,
  whyNotGuaranteed,
} from '../../../lib/core/requirements/requirements.ts';
import { asking } from '../../builders/node-pools.ts';

const ZONE = 'topology.kubernetes.io/zone';
const all = (...list: readonly NodeSelectorRequirement[]): Requirements => requirementsFrom(list);

describe('compatibility (A0.5)', () => {
  test.each<[string, Requirements, Requirements, boolean]>([
    ['a label of the user’s own must be offered', all(), all(asking('team', 'In', 'a')), false],
    ['even for Exists', all(), all(asking('team', 'Exists')), false],
    ['but not for NotIn', all(), all(asking('team', 'NotIn', 'a')), true],
    ['nor for DoesNotExist', all(), all(asking('team', 'DoesNotExist')), true],
    ['a well-known label need not be offered', all(), all(asking(ZONE, 'In', 'a')), true],
    ['an offered label must overlap', all(asking('team', 'In', 'a', 'b')), all(asking('team', 'In', 'b', 'c')), true],
    ['and where it does not, it fails', all(asking('team', 'In', 'a')), all(asking('team', 'In', 'b')), false],
    ['Exists takes any value', all(asking('team', 'Exists')), all(asking('team', 'In', 'b')), true],
    ['absence meets absence', all(asking('team', 'DoesNotExist')), all(asking('team', 'NotIn', 'a')), true],
    ['absence does not meet a value', all(asking('team', 'DoesNotExist')), all(asking('team', 'In', 'a')), false],
    ['a value does not meet absence', all(asking('team', 'In', 'a')), all(asking('team', 'DoesNotExist')), false],
    ['bounds meet values', all(asking('size', 'In', '2', '8')), all(asking('size', 'Gt', '4')), true],
    ['bounds that cross do not', all(asking('size', 'Lt', '4')), all(asking('size', 'Gt', '4')), false],
    [
      'what asks for two things at once is met by nothing, not even by a missing label',
      all(),
      all(asking('team', 'In', 'a'), asking('team', 'In', 'b')),
      false,
    ],
  ])('%s', (...[, offered, asked, compatible]) => {
    expect(whyIncompatible(offered, asked) === undefined).toBe(compatible);
    expect(isCompatible(offered, asked)).toBe(compatible);
  });

  test('a "no" names the label, what was asked for and what there is', () => {
    expect(whyIncompatible(all(asking('team', 'In', 'a')), all(asking('team', 'NotIn', 'a')))).toEqual({
      key: 'team',
      asked: 'NotIn [a]',
      offered: 'In [a]',
    });
    expect(whyIncompatible(all(), all(asking('team', 'Exists')))).toMatchObject({ offered: 'not set' });
  });

  test('labels that only one side names do not matter to intersects', () => {
    expect(intersects(all(asking('a', 'In', '1')), all(asking('b', 'In', '2')))).toBe(true);
    expect(intersects(all(asking('a', 'In', '1')), all(asking('a', 'In', '2'), asking('b', 'Exists')))).toBe(false);
  });

  test('an instance type without the label meets who does not want it', () => {
    const type = requirementsFromValues({ gpu: [] });
    expect(intersects(type, all(asking('gpu', 'DoesNotExist')))).toBe(true);
    expect(intersects(type, all(asking('gpu', 'NotIn', 'a100')))).toBe(true);
    expect(intersects(type, all(asking('gpu', 'Exists')))).toBe(false);
  });
});

describe('requirements of one label intersect, in any order (A1.5)', () => {
  test.each([
    [[asking('a', 'In', '1', '2'), asking('a', 'NotIn', '1')], 'In [2]'],
    [[asking('a', 'NotIn', '1'), asking('a', 'In', '1', '2')], 'In [2]'],
    [[asking('a', 'Gt', '1'), asking('a', 'Lt', '5')], 'Gte [2], Lte [4]'],
    [[asking('a', 'Exists'), asking('a', 'NotIn', '1')], 'NotIn [1], Exists'],
    [[asking('a', 'In', '1', '2', '3', '4', '5', '6')], 'In [1, 2, 3, 4 and 2 more]'],
    [[asking('a', 'Exists')], 'Exists'],
    [[asking('a', 'DoesNotExist')], 'DoesNotExist'],
  ])('%j is %s', (list, text) => {
    expect([...requirementsFrom(list).values()].map(formatRequirement)).toEqual([text]);
  });

  test('a label’s name of old is today’s (A0.6)', () => {
    expect([...all(asking('beta.kubernetes.io/arch', 'In', 'arm64')).keys()]).toEqual(['kubernetes.io/arch']);
  });

  test('merging changes neither side', () => {
    const [a, b] = [all(asking('x', 'In', '1', '2')), all(asking('x', 'In', '2'))];
    expect(singleValues(merge(a, b))).toEqual({ x: '2' });
    expect(singleValues(a)).toEqual({});
  });

  test('the larger minValues of a label is kept, and written (A1.6, A2.1)', () => {
    const pool = requirementsFrom([
      { ...asking('a', 'In', '1', '2', '3'), minValues: 2 },
      { ...asking('a', 'Exists'), minValues: 1 },
      asking('a', 'NotIn', '3'),
    ]);
    expect(toNodeSelector(merge(pool, all(asking('b', 'Exists'))))).toEqual([
      { ...asking('a', 'In', '1', '2'), minValues: 2 },
      asking('b', 'Exists'),
    ]);
  });

  test('the API form is sorted by label', () => {
    expect(toNodeSelector(all(asking('b', 'Exists'), asking('a', 'In', '2', '1')))).toEqual([
      asking('a', 'In', '1', '2'),
      asking('b', 'Exists'),
    ]);
  });
});

describe('labels that are known meet a requirement or do not', () => {
  test('a label that is missing fails In and meets NotIn', () => {
    expect(whyLabelsFail({}, all(asking('team', 'In', 'a')))).toMatchObject({ key: 'team', offered: 'not set' });
    expect(whyLabelsFail({}, all(asking('team', 'NotIn', 'a')))).toBeUndefined();
    expect(whyLabelsFail({ team: 'a' }, all(asking('team', 'In', 'a')))).toBeUndefined();
  });
});

describe('requirements that include others are the intersection of both', () => {
  const minimum = { ...asking('team', 'In', 'a', 'b'), minValues: 2 };
  test.each<[string, Requirements, Requirements, boolean]>([
    ['the same value', all(asking('team', 'In', 'a')), all(asking('team', 'In', 'a')), true],
    ['fewer values', all(asking('team', 'In', 'a')), all(asking('team', 'In', 'a', 'b')), true],
    ['more values', all(asking('team', 'In', 'a', 'b')), all(asking('team', 'In', 'a')), false],
    ['more labels', all(asking('team', 'In', 'a'), asking(ZONE, 'In', 'a')), all(asking('team', 'Exists')), true],
    ['no such label', all(asking('team', 'In', 'a')), all(asking(ZONE, 'In', 'a')), false],
    ['the same values without their minimum', all(asking('team', 'In', 'a', 'b')), requirementsFrom([minimum]), false],
  ])('%s', (...[, offered, asked, included]) => {
    expect(includes(offered, asked)).toBe(included);
    const both = merge(offered, asked);
    expect(JSON.stringify(toNodeSelector(both)) === JSON.stringify(toNodeSelector(offered))).toBe(included);
  });
});

describe('what is guaranteed is so in every outcome that is left', () => {
  const open = new Set([ZONE]);
  test.each<[string, Requirements, Requirements, boolean]>([
    ['one value that is wanted', requirementsFromLabels({ team: 'a' }), all(asking('team', 'In', 'a')), true],
    ['one of two values that is not', all(asking('team', 'In', 'a', 'b')), all(asking('team', 'In', 'a')), false],
    ['all values', all(asking('team', 'In', 'a', 'b')), all(asking('team', 'In', 'a', 'b', 'c')), true],
    ['a label that will be missing', all(asking('team', 'DoesNotExist')), all(asking('team', 'In', 'a')), false],
    [
      'a label that will be missing, for NotIn',
      all(asking('team', 'DoesNotExist')),
      all(asking('team', 'NotIn', 'a')),
      true,
    ],
    ['the same NotIn', all(asking(ZONE, 'NotIn', 'a')), all(asking(ZONE, 'NotIn', 'a')), true],
    ['a narrower bound', all(asking('cpu', 'Gt', '7')), all(asking('cpu', 'Gt', '3')), true],
    ['a wider bound', all(asking('cpu', 'Gt', '3')), all(asking('cpu', 'Gt', '7')), false],
    ['nothing known of a label of the user’s own: it will be missing', all(), all(asking('team', 'NotIn', 'a')), true],
    ['nothing known of a label that is still open', all(), all(asking(ZONE, 'NotIn', 'a')), false],
  ])('%s', (...[, offered, asked, guaranteed]) => {
    expect(whyNotGuaranteed(offered, asked, open) === undefined).toBe(guaranteed);
  });
});
