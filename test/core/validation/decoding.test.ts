import { describe, expect, test } from 'vitest';
import { amountProblems, durationProblems } from '../../../lib/core/validation/decoding.ts';

describe('an amount that no program can read is refused, though the pattern of the API server takes it', () => {
  test.each(['500m', '2', 3, '512Mi', '1e3', '-1', '.5', '5.', '1E2'])('%s is read', (amount) => {
    expect(amountProblems({ cpu: amount }, ['spec', 'limits'])).toEqual([]);
  });

  test.each(['1e1.5', '1e', 'many'])('%s is not', (amount) => {
    expect(amountProblems({ memory: '1Gi', cpu: amount }, ['spec', 'limits'])).toEqual([
      {
        path: ['spec', 'limits', 'cpu'],
        message: `"${amount}" is not a quantity`,
        allowed: 'a quantity such as 500m, 2, 512Mi or 1e3',
      },
    ]);
  });

  test('no amounts are no problem', () => {
    expect(amountProblems(undefined, [])).toEqual([]);
  });
});

describe('a duration beyond 63 bits of nanoseconds is refused', () => {
  test.each(['Never', '720h', '0s', '2562047h', '1h30m', undefined])('%s is read', (expireAfter) => {
    expect(durationProblems({ expireAfter }, ['spec'])).toEqual([]);
  });

  test.each(['2562048h', '9223372037s', '99999999999999999999h'])('%s is not', (expireAfter) => {
    expect(durationProblems({ expireAfter, terminationGracePeriod: '1h' }, ['spec'])).toEqual([
      { path: ['spec', 'expireAfter'], message: `"${expireAfter}" is too long`, allowed: 'at most 2562047h, or Never' },
    ]);
  });
});
