import { describe, expect, test } from 'vitest';
import { amountInWords, amountsInWords } from '../../../lib/core/scheduling/amounts-in-words.ts';

const GIB = 1_073_741_824;

describe('an amount in a message', () => {
  test.each([
    ['cpu', 9_000, '9'],
    ['cpu', 47_810, '47.81'],
    ['cpu', 1, '0.001'],
    ['cpu', 0, '0'],
    ['memory', 3.6328125 * GIB, '3.63Gi'],
    ['memory', 512 * 1_048_576, '512Mi'],
    ['memory', 8 * 1_024 ** 6, '8Ei'],
    ['memory', 100, '100'],
    ['ephemeral-storage', 20 * GIB, '20Gi'],
    ['pods', 29, '29'],
    ['nvidia.com/gpu', 4, '4'],
  ])('%s %d is %s', (name, amount, words) => {
    expect(amountInWords(name, amount)).toBe(words);
  });

  test.each<readonly [string, readonly [number, number], readonly [string, string]]>([
    ['cpu', [8_000, 7_910], ['8', '7.91']],
    ['cpu', [7_911, 7_910], ['7.911', '7.91']],
    ['memory', [4 * GIB, 4 * GIB - 1_048_576], ['4Gi', '3.999Gi']],
    ['memory', [4 * GIB + 65_536, 4 * GIB], ['4.000061Gi', '4Gi']],
    ['memory', [4 * GIB + 1, 4 * GIB], ['4294967297', '4294967296']],
  ])('two amounts of %s, %j, are told apart', (name, [one, other], words) => {
    expect(amountsInWords(name, one, other)).toEqual(words);
  });
});
