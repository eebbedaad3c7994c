import {
  type CallLimits,
  fullBucket,
  type TokenBucket,
  takeTokens,
  throttledBucket,
} from '../../lib/core/call-budget/token-bucket.ts';
import type { CallBudget } from '../../lib/ports/call-budget.ts';
import type { Clock } from '../../lib/ports/clock.ts';

/** The part of the table that stores the budget, in memory. */
export function memoryCallBudget(limitsOf: (api: string) => CallLimits, clock: Clock): CallBudget {
  const buckets = new Map<string, TokenBucket>();
  const bucketOf = (api: string): TokenBucket => buckets.get(api) ?? fullBucket(limitsOf(api), clock.now());
  return {
    async take(api) {
      const { bucket, atMs, nextAtMs } = takeTokens(bucketOf(api), limitsOf(api), { atMost: 1, nowMs: clock.now() });
      buckets.set(api, bucket);
      const [grantedAtMs] = atMs;
      return grantedAtMs === undefined ? { kind: 'wait', untilMs: nextAtMs } : { kind: 'granted', atMs: grantedAtMs };
    },
    async throttled(api) {
      buckets.set(api, throttledBucket(bucketOf(api), limitsOf(api), clock.now()));
    },
  };
}
