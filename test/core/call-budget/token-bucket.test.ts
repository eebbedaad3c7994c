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
  test('a full bucket gives all its tokens at once', () => {
    expect(take(FULL, 50).atMs).toEqual(Array.from({ length: 50 }, () => 0));
  });

  test('an empty bucket gives the tokens of the next seconds in advance, each with its time', () => {
    const { atMs, bucket } = take(EMPTY, 20);
    expect(atMs).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((nth) => nth * 200));
    expect(bucket.tokens).toBe(-10);
  });

  test('without a token the result has the time of the next one', () => {
    const all = take(EMPTY, 10).bucket;
    const none = take(all, 1, 100);
    expect(none.atMs).toEqual([]);
    expect(take(none.bucket, 1, none.nextAtMs - 1).atMs).toEqual([]);
    expect(take(none.bucket, 1, none.nextAtMs).atMs).toHaveLength(1);
  });

  test('a bucket never has more tokens than its capacity', () => {
    expect(take(FULL, 1_000, 3_600_000).bucket.tokens).toBe(50 - 60);
  });

  test('a clock that is behind adds no tokens and gives none twice', () => {
    const bucket = { ...EMPTY, atMs: 1_000 };
    expect(take(bucket, 1, 500).atMs).toEqual([1_200]);
  });
});

describe('a bucket with impossible values does not block calls', () => {
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

  test('a bucket above its capacity is reduced to the capacity', () => {
    expect(take({ ...FULL, tokens: 1e9, perSecond: 1e9 }, 1_000).atMs).toHaveLength(60);
  });

  test('throttling counts even if the last throttling has a time in the future', () => {
    const bucket = { ...FULL, throttledAtMs: 300_000 };
    expect(throttledBucket(bucket, LIMITS, 0)).toMatchObject({ tokens: 0, perSecond: 2.5, throttledAtMs: 0 });
  });
});

describe('after AWS throttled a call', () => {
  test('the bucket is empty and has half the refill rate', () => {
    expect(throttledBucket(FULL, LIMITS, 0)).toEqual({ tokens: 0, perSecond: 2.5, atMs: 0, throttledAtMs: 0 });
  });

  test('throttled calls within two seconds count as one event', () => {
    const once = throttledBucket(FULL, LIMITS, 0);
    expect(throttledBucket(once, LIMITS, 1_999)).toBe(once);
    expect(throttledBucket(once, LIMITS, 2_000).perSecond).toBeLessThan(2.5);
  });

  test('tokens taken in advance stay taken', () => {
    expect(throttledBucket({ ...EMPTY, tokens: -7 }, LIMITS, 0).tokens).toBe(-7);
  });

  test('some calls continue after any number of throttlings', () => {
    let bucket = FULL;
    for (let second = 0; second < 600; second += 2) bucket = throttledBucket(bucket, LIMITS, second * SECOND_MS);
    expect(bucket.perSecond).toBeGreaterThanOrEqual(5 / 32);
    expect(bucket.perSecond).toBeLessThan(5 / 25);
    expect(take(bucket, 1, 600_000 + 7_000).atMs).toHaveLength(1);
  });

  test('after a minute the rate is at the limit again, and never above it', () => {
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

test.each([1, 2, 3, 4])('in no period do all callers together get more calls than AWS allows (seed %i)', (seed) => {
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
});
