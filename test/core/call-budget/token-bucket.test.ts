import { describe, expect, test } from 'vitest';
import { SECOND_MS } from '../../../lib/apis/formats/time.ts';
import {
  fullBucket,
  PATIENCE_MS,
  type TokenBucket,
  takeTokens,
  throttledBucket,
} from '../../../lib/core/call-budget/token-bucket.ts';
import { randomFrom } from '../../../lib/simulator/random.ts';

const LIMITS = { capacity: 50, perSecond: 5 };
const FULL = fullBucket(LIMITS, 0);
const EMPTY: TokenBucket = { ...FULL, tokens: 0 };

const take = (bucket: TokenBucket, atMost: number, nowMs = 0) => takeTokens(bucket, LIMITS, { atMost, nowMs });

describe('taking calls', () => {
  test('a full bucket gives all it holds at once', () => {
    expect(take(FULL, 50).atMs).toEqual(Array.from({ length: 50 }, () => 0));
  });

  test('an empty one promises what comes in while anybody waits, each call at its time', () => {
    const { atMs, bucket } = take(EMPTY, 20);
    expect(atMs).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((nth) => nth * 200));
    expect(bucket.tokens).toBe(-10);
  });

  test('who gets none learns when there is one again, and then there is', () => {
    const all = take(EMPTY, 10).bucket;
    const none = take(all, 1, 100);
    expect(none.atMs).toEqual([]);
    expect(take(none.bucket, 1, none.nextAtMs - 1).atMs).toEqual([]);
    expect(take(none.bucket, 1, none.nextAtMs).atMs).toHaveLength(1);
  });

  test('it never holds more than its capacity', () => {
    expect(take(FULL, 1_000, 3_600_000).bucket.tokens).toBe(50 - 60);
  });

  test('a clock that is behind adds nothing and promises nothing twice', () => {
    const bucket = { ...EMPTY, atMs: 1_000 };
    expect(take(bucket, 1, 500).atMs).toEqual([1_200]);
  });
});

describe('a bucket that cannot be right starves nobody', () => {
  test.each<[string, TokenBucket]>([
    ['written by a clock that is minutes ahead', { ...FULL, atMs: 300_000 }],
    ['empty, by a clock that is minutes ahead', { ...EMPTY, atMs: 300_000 }],
    ['of a throttling still to come', { ...EMPTY, perSecond: 0.2, throttledAtMs: 300_000 }],
    ['that never fills', { ...EMPTY, perSecond: 0 }],
    ['that drains', { ...EMPTY, perSecond: -5 }],
    ['with a debt of years', { ...EMPTY, tokens: -1e12 }],
    ['with no number of tokens', { ...EMPTY, tokens: Number.NaN }],
    ['with no rate', { ...EMPTY, perSecond: Number.NaN }],
    ['with no time', { ...EMPTY, atMs: Number.NaN }],
  ])('one %s', (_, bucket) => {
    let [left, calls] = [bucket, 0];
    for (let nowMs = 0; nowMs <= 30_000; nowMs += 500) {
      const { atMs, bucket: after, nextAtMs } = take(left, 1, nowMs);
      left = after;
      calls += atMs.length;
      expect(nextAtMs).toBeLessThan(nowMs + 10_000);
      for (const at of atMs) expect(at).toBeLessThanOrEqual(nowMs + PATIENCE_MS);
    }
    expect(calls).toBeGreaterThan(3);
  });

  test('and one that is fuller than full holds what AWS grants', () => {
    expect(take({ ...FULL, tokens: 1e9, perSecond: 1e9 }, 1_000).atMs).toHaveLength(60);
  });

  test('nor is a throttling unheard where the last one is said to be still to come', () => {
    const bucket = { ...FULL, throttledAtMs: 300_000 };
    expect(throttledBucket(bucket, LIMITS, 0)).toMatchObject({ tokens: 0, perSecond: 2.5, throttledAtMs: 0 });
  });
});

describe('once AWS throttled', () => {
  test('the bucket is empty and fills half as fast', () => {
    expect(throttledBucket(FULL, LIMITS, 0)).toEqual({ tokens: 0, perSecond: 2.5, atMs: 0, throttledAtMs: 0 });
  });

  test('calls that were under way together are throttled together: that is one event', () => {
    const once = throttledBucket(FULL, LIMITS, 0);
    expect(throttledBucket(once, LIMITS, 1_999)).toBe(once);
    expect(throttledBucket(once, LIMITS, 2_000).perSecond).toBeLessThan(2.5);
  });

  test('what was promised ahead is not forgiven', () => {
    expect(throttledBucket({ ...EMPTY, tokens: -7 }, LIMITS, 0).tokens).toBe(-7);
  });

  test('some calls go on however often it is throttled', () => {
    let bucket = FULL;
    for (let second = 0; second < 600; second += 2) bucket = throttledBucket(bucket, LIMITS, second * SECOND_MS);
    expect(bucket.perSecond).toBeGreaterThanOrEqual(5 / 32);
    expect(bucket.perSecond).toBeLessThan(5 / 25);
    expect(take(bucket, 1, 600_000 + 7_000).atMs).toHaveLength(1);
  });

  test('within a minute it is as fast as before, and never faster', () => {
    let bucket = throttledBucket(throttledBucket(FULL, LIMITS, 0), LIMITS, 2_000);
    const rates: number[] = [];
    for (let second = 3; second <= 62; second += 1) {
      ({ bucket } = take(bucket, 0, second * SECOND_MS));
      rates.push(bucket.perSecond);
    }
    expect(rates).toEqual(rates.toSorted((a, b) => a - b));
    expect(rates.at(-1)).toBe(5);
  });
});

test.each([1, 2, 3, 4])(
  'whoever takes whatever, no stretch of time has more calls than AWS allows (seed %i)',
  (seed) => {
    const random = randomFrom(seed);
    const calls: number[] = [];
    let bucket = FULL;
    for (let nowMs = 0; nowMs < 120_000; nowMs += random.between(0, 900)) {
      const taken = take(bucket, random.between(1, 15), nowMs);
      ({ bucket } = taken);
      for (const atMs of taken.atMs) expect(atMs - nowMs).toBeLessThanOrEqual(PATIENCE_MS);
      calls.push(...taken.atMs);
    }
    const sorted = calls.toSorted((a, b) => a - b);
    for (const [first, fromMs] of sorted.entries()) {
      for (const [more, atMs] of sorted.slice(first, first + 120).entries()) {
        // A millisecond of slack: times are whole.
        expect(more + 1).toBeLessThanOrEqual(50 + (5 * (atMs - fromMs + 1)) / SECOND_MS + 1);
      }
    }
  },
);
