import { describe, expect, test } from 'vitest';
import {
  add,
  fits,
  formatAmount,
  formatResources,
  larger,
  parseResources,
  subtract,
} from '../../../lib/core/resources/resources.ts';

describe('resources are plain numbers: cpu in millicores, the rest in whole units', () => {
  test('they are read from quantities', () => {
    expect(parseResources({ cpu: '1500m', memory: '1Gi', pods: 29, 'nvidia.com/gpu': '1' })).toEqual({
      cpu: 1_500,
      memory: 2 ** 30,
      pods: 29,
      'nvidia.com/gpu': 1,
    });
    expect(parseResources()).toEqual({});
  });

  test.each([
    ['cpu', 1_500, '1500m'],
    ['memory', 2 ** 31, '2Gi'],
    ['ephemeral-storage', 2 ** 20, '1Mi'],
    ['pods', 29, '29'],
  ])('%s %i is written %s', (name, amount, text) => {
    expect(formatAmount(name, amount)).toBe(text);
  });

  test.each([1, 1_023, 1_500_000_000, 1_073_741_825, 953_674_316])(
    'what is written is what is read again: %i bytes',
    (memory) => {
      expect(parseResources(formatResources({ cpu: 1_501, memory }))).toEqual({ cpu: 1_501, memory });
    },
  );

  test('sums, differences and maxima go by resource; what is not named is zero', () => {
    expect(add({ cpu: 1 }, { cpu: 2, memory: 3 }, {})).toEqual({ cpu: 3, memory: 3 });
    expect(add()).toEqual({});
    expect(subtract({ cpu: 1 }, { cpu: 2, memory: 3 })).toEqual({ cpu: -1, memory: -3 });
    expect(larger({ cpu: 1, memory: 5 }, { cpu: 2 })).toEqual({ cpu: 2, memory: 5 });
  });
});

describe('requests fit where every one of them does (B19)', () => {
  test.each([
    [{ cpu: 1 }, { cpu: 1 }, true],
    [{ cpu: 2 }, { cpu: 1 }, false],
    [{ gpu: 1 }, { cpu: 1 }, false],
    [{ gpu: 0 }, { cpu: 1 }, true],
    [{}, { cpu: 0 }, true],
    [{ cpu: 1 }, { cpu: 2, memory: -1 }, false],
  ])('%j in %j: %s', (requests, available, expected) => {
    expect(fits(requests, available)).toBe(expected);
  });
});
