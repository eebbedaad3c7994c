import { SECOND_MS } from '../../apis/formats/time.ts';

/** The limits of AWS for one API in one account and region: the burst capacity and the refill rate. */
export interface CallLimits {
  readonly capacity: number;
  readonly perSecond: number;
  /** The calls that a process may keep for some minutes once it has taken them. AWS allows as many more than `capacity`. @default none */
  readonly kept?: number;
}

/** The remaining calls of one API at `atMs`. */
export interface TokenBucket {
  /** Negative if tokens are taken in advance. */
  readonly tokens: number;
  /** The current refill rate: at most the limit, and lower after throttling. */
  readonly perSecond: number;
  readonly atMs: number;
  /** @default never */
  readonly throttledAtMs?: number;
}

/** How long a function waits for a token, so how far in advance tokens are taken. */
export const PATIENCE_MS = 2 * SECOND_MS;

/** The time in which the rate rises from 0 to the limit. */
const RECOVERY_SECONDS = 60;
/** The lowest rate, as a fraction of the limit. Some calls must continue to detect the end of throttling. */
const MIN_RATE = 1 / 32;
/** Throttled calls within this time count as one event. */
const ONE_EVENT_MS = 2 * SECOND_MS;

export function fullBucket({ capacity, perSecond }: CallLimits, nowMs: number): TokenBucket {
  return { tokens: capacity, perSecond, atMs: nowMs };
}

export interface Taken {
  readonly bucket: TokenBucket;
  /** When each of the calls may be made, in order; empty if all tokens within PATIENCE_MS are taken. */
  readonly atMs: readonly number[];
  /** When the next token can be taken. */
  readonly nextAtMs: number;
}

/**
 * Takes up to `atMost` tokens, including those that are added within PATIENCE_MS.
 * *Shape:* in any period of `t` seconds, all callers together get at most `capacity + t × perSecond` tokens.
 */
export function takeTokens(
  bucket: TokenBucket,
  limits: CallLimits,
  { atMost, nowMs }: { readonly atMost: number; readonly nowMs: number },
): Taken {
  const now = refilled(bucket, limits, nowMs);
  const { tokens, perSecond } = now;
  const inTime = tokens + inAdvance(now);
  const count = Math.max(0, Math.min(atMost, Math.floor(inTime)));
  const readyAt = (nth: number) => now.atMs + Math.max(0, Math.ceil(((nth - tokens) / perSecond) * SECOND_MS));
  return {
    bucket: { ...now, tokens: tokens - count },
    atMs: Array.from({ length: count }, (_, index) => readyAt(index + 1)),
    nextAtMs: Math.max(nowMs, readyAt(count + 1) - PATIENCE_MS),
  };
}

/**
 * The bucket after AWS throttled a call: empty, with half the refill rate. The rate rises linearly to the limit in a minute.
 * *Shape:* `bucket` itself if the event is already counted. *Source:* additive increase, multiplicative decrease, as in
 * Chiu and Jain, "Analysis of the increase and decrease algorithms for congestion avoidance", 1989.
 */
export function throttledBucket(bucket: TokenBucket, limits: CallLimits, nowMs: number): TokenBucket {
  if (bucket.throttledAtMs !== undefined && Math.abs(nowMs - bucket.throttledAtMs) < ONE_EVENT_MS) return bucket;
  const now = refilled(bucket, limits, nowMs);
  return {
    tokens: Math.min(0, now.tokens),
    perSecond: Math.max(now.perSecond / 2, limits.perSecond * MIN_RATE),
    atMs: now.atMs,
    throttledAtMs: nowMs,
  };
}

/** The bucket at `nowMs`. A clock that is behind adds no tokens. */
function refilled(written: TokenBucket, limits: CallLimits, nowMs: number): TokenBucket {
  const bucket = corrected(written, limits, nowMs);
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
 * The bucket with impossible values corrected, so that a wrong clock or NaN does not block all calls. An unknown value counts
 * as that of a full bucket, because AWS itself rejects excess calls.
 */
function corrected(
  { tokens, perSecond, atMs, throttledAtMs }: TokenBucket,
  limits: CallLimits,
  nowMs: number,
): TokenBucket {
  const latestMs = nowMs + PATIENCE_MS;
  const throttled = throttledAtMs !== undefined && throttledAtMs <= latestMs ? { throttledAtMs } : {};
  return {
    tokens: within(tokens, -inAdvance(limits), limits.capacity),
    perSecond: within(perSecond, limits.perSecond * MIN_RATE, limits.perSecond),
    atMs: atMs <= latestMs ? atMs : nowMs,
    ...throttled,
  };
}

function inAdvance({ perSecond }: Pick<CallLimits, 'perSecond'>): number {
  return (perSecond * PATIENCE_MS) / SECOND_MS;
}

function within(value: number, min: number, max: number): number {
  return Number.isNaN(value) ? max : Math.min(max, Math.max(min, value));
}
