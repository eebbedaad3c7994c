import { SECOND_MS } from '../../apis/time.ts';

/** What AWS grants an account for one API in one region: calls at once, and calls a second after that. */
export interface CallLimits {
  readonly capacity: number;
  readonly perSecond: number;
}

/** The calls of one API that are left, as they were at `atMs`. */
export interface TokenBucket {
  /** Below 0 where some are promised ahead. */
  readonly tokens: number;
  /** What comes in just now: at most the limit, and less after AWS throttled. */
  readonly perSecond: number;
  readonly atMs: number;
  /** @default never */
  readonly throttledAtMs?: number;
}

/** How far ahead tokens are promised: a function waits that long for one, and not longer. */
export const PATIENCE_MS = 2 * SECOND_MS;

/** From a standstill to the whole rate. */
const RECOVERY_SECONDS = 60;
/** However often AWS throttles, some calls must go on to learn that it is over. */
const SLOWEST = 1 / 32;
/** Calls that were under way together are throttled together: that is one event. */
const ONE_EVENT_MS = 2 * SECOND_MS;

export function fullBucket({ capacity, perSecond }: CallLimits, nowMs: number): TokenBucket {
  return { tokens: capacity, perSecond, atMs: nowMs };
}

export interface Taken {
  readonly bucket: TokenBucket;
  /** When each of the calls may be made, in order; none where all is promised for as long as anybody waits. */
  readonly atMs: readonly number[];
  /** When there is one again for who got none. */
  readonly nextAtMs: number;
}

/**
 * Takes up to `atMost` calls out of the bucket, those that come in within PATIENCE_MS included.
 * *Shape:* over any time of `t` seconds no more than `capacity + t × perSecond` calls are allowed, whoever takes them.
 */
export function takeTokens(
  bucket: TokenBucket,
  limits: CallLimits,
  { atMost, nowMs }: { readonly atMost: number; readonly nowMs: number },
): Taken {
  const now = refilled(bucket, limits, nowMs);
  const { tokens, perSecond } = now;
  const inTime = tokens + promisedAhead(now);
  const count = Math.max(0, Math.min(atMost, Math.floor(inTime)));
  const readyAt = (nth: number) => now.atMs + Math.max(0, Math.ceil(((nth - tokens) / perSecond) * SECOND_MS));
  return {
    bucket: { ...now, tokens: tokens - count },
    atMs: Array.from({ length: count }, (_, index) => readyAt(index + 1)),
    nextAtMs: Math.max(nowMs, readyAt(count + 1) - PATIENCE_MS),
  };
}

/**
 * The bucket once AWS throttled: empty, and filled half as fast. It recovers evenly, to the whole limit in a minute.
 * *Shape:* the very object that came in, where the event is known already. *Source:* additive increase, multiplicative
 * decrease, as in Chiu and Jain, "Analysis of the increase and decrease algorithms for congestion avoidance", 1989.
 */
export function throttledBucket(bucket: TokenBucket, limits: CallLimits, nowMs: number): TokenBucket {
  if (bucket.throttledAtMs !== undefined && Math.abs(nowMs - bucket.throttledAtMs) < ONE_EVENT_MS) return bucket;
  const now = refilled(bucket, limits, nowMs);
  return {
    tokens: Math.min(0, now.tokens),
    perSecond: Math.max(now.perSecond / 2, limits.perSecond * SLOWEST),
    atMs: now.atMs,
    throttledAtMs: nowMs,
  };
}

/** Clocks differ a little: time that seems to run backwards adds nothing. */
function refilled(written: TokenBucket, limits: CallLimits, nowMs: number): TokenBucket {
  const bucket = believed(written, limits, nowMs);
  const { capacity, perSecond } = limits;
  const seconds = Math.max(0, nowMs - bucket.atMs) / SECOND_MS;
  return {
    ...bucket,
    tokens: Math.min(capacity, bucket.tokens + bucket.perSecond * seconds),
    perSecond: Math.min(perSecond, bucket.perSecond + (perSecond / RECOVERY_SECONDS) * seconds),
    atMs: Math.max(bucket.atMs, nowMs),
  };
}

/**
 * The bucket without what cannot be true of it, whoever wrote it: a clock that is minutes ahead or a number that is none must
 * not keep a deployment from its calls. What is unknown is as in a full one: AWS itself says no to what is too much.
 */
function believed(
  { tokens, perSecond, atMs, throttledAtMs }: TokenBucket,
  limits: CallLimits,
  nowMs: number,
): TokenBucket {
  const latestMs = nowMs + PATIENCE_MS;
  const throttled = throttledAtMs !== undefined && throttledAtMs <= latestMs ? { throttledAtMs } : {};
  return {
    tokens: within(tokens, -promisedAhead(limits), limits.capacity),
    perSecond: within(perSecond, limits.perSecond * SLOWEST, limits.perSecond),
    atMs: atMs <= latestMs ? atMs : nowMs,
    ...throttled,
  };
}

function promisedAhead({ perSecond }: Pick<CallLimits, 'perSecond'>): number {
  return (perSecond * PATIENCE_MS) / SECOND_MS;
}

function within(value: number, least: number, most: number): number {
  return Number.isNaN(value) ? most : Math.min(most, Math.max(least, value));
}
