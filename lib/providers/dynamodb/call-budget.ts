import { MINUTE_MS, SECOND_MS } from '../../apis/formats/time.ts';
import {
  type CallLimits,
  fullBucket,
  PATIENCE_MS,
  type TokenBucket,
  takeTokens,
  throttledBucket,
} from '../../core/call-budget/token-bucket.ts';
import type { CallBudget, CallGrant } from '../../ports/call-budget.ts';
import type { Clock } from '../../ports/clock.ts';
import { PortError } from '../../ports/errors.ts';
import { budgetKey } from './keys.ts';
import { ABSENT, type Attributes, type Item, PRESENT, Table, type TableOptions, type WriteCondition } from './table.ts';

export interface CallBudgetOptions extends TableOptions {
  readonly region: string;
  readonly clock: Clock;
  readonly limitsOf: (api: string) => CallLimits;
}

/** The maximum number of calls in one lease, which costs one write. */
const LARGEST_LEASE = 10;
/** How long a lease is valid, because a function may be frozen for long between invocations. */
const LEASE_MS = 10 * SECOND_MS;
/** How long the calls are valid that a process may keep (`CallLimits`). */
const KEPT_MS = 10 * MINUTE_MS;
/** How long the budget is bypassed after DynamoDB did not respond. */
const WITHOUT_BUDGET_MS = 5 * SECOND_MS;
/** When to try again after all writes collided. */
const CROWDED_MS = SECOND_MS / 5;
const TRIES = 5;
/** An item without writes for an hour is a full bucket. */
const KEPT_SECONDS = 3_600;

/** The last known state of an API's bucket, and the leased calls. */
interface Local {
  /** `bucket`: undefined where the item cannot be read; then it is overwritten with a full bucket. */
  seen: { readonly bucket: TokenBucket | undefined; readonly version: number | undefined } | undefined;
  leased: readonly number[];
  lease: { readonly size: number; readonly atMs: number };
  leasing: Promise<void> | undefined;
  waiting: number;
  emptyUntilMs: number;
}

/**
 * The budget, with one small item per API and region, updated by optimistic locking. Calls are leased in batches: one at first,
 * then twice as many each time that all were used, or as many as there are waiting callers.
 */
export class DynamoDbCallBudget implements CallBudget {
  readonly #options: CallBudgetOptions;
  readonly #table: Table;
  readonly #apis = new Map<string, Local>();
  #withoutUntilMs = 0;

  constructor(options: CallBudgetOptions) {
    this.#options = options;
    this.#table = new Table(options);
  }

  async take(api: string): Promise<CallGrant> {
    const local = this.#of(api);
    for (;;) {
      const nowMs = this.#options.clock.now();
      local.leased = stillLeased(local.leased, this.#options.limitsOf(api), nowMs);
      const [atMs, ...rest] = local.leased;
      if (atMs !== undefined) {
        local.leased = rest;
        return { kind: 'granted', atMs: Math.max(atMs, nowMs) };
      }
      if (nowMs < this.#withoutUntilMs) return { kind: 'granted', atMs: nowMs };
      if (nowMs < local.emptyUntilMs) return { kind: 'wait', untilMs: local.emptyUntilMs };
      local.waiting += 1;
      local.leasing ??= this.#lease(api, local).finally(() => {
        local.leasing = undefined;
      });
      // Callers that arrive meanwhile share the lease. A caller that gets no call leases again.
      await local.leasing;
      local.waiting -= 1;
    }
  }

  async throttled(api: string): Promise<void> {
    const local = this.#of(api);
    // Leased calls are dropped when EC2 reports that the bucket is empty.
    local.leased = [];
    const { limitsOf, clock } = this.#options;
    await this.#change(api, local, (bucket) => throttledBucket(bucket, limitsOf(api), clock.now()));
  }

  #of(api: string): Local {
    const known = this.#apis.get(api);
    if (known !== undefined) return known;
    const lease = { size: 0, atMs: 0 };
    const local = { seen: undefined, leased: [], lease, leasing: undefined, waiting: 0, emptyUntilMs: 0 };
    this.#apis.set(api, local);
    return local;
  }

  async #lease(api: string, local: Local): Promise<void> {
    // Includes all callers that are waiting now.
    await Promise.resolve();
    const nowMs = this.#options.clock.now();
    const again = sizeAgain(local.lease, this.#options.limitsOf(api), nowMs);
    const atMost = Math.min(LARGEST_LEASE, Math.max(1, again, local.waiting));
    let taken: readonly number[] = [];
    let emptyUntilMs = nowMs + CROWDED_MS;
    const written = await this.#change(api, local, (bucket) => {
      const answer = takeTokens(bucket, this.#options.limitsOf(api), { atMost, nowMs });
      taken = answer.atMs;
      // Corrects a time in the future from a wrong clock; otherwise the bucket would not refill.
      if (taken.length > 0 || answer.bucket.atMs < bucket.atMs) return answer.bucket;
      emptyUntilMs = answer.nextAtMs;
      return bucket;
    });
    if (written) {
      local.leased = [...local.leased, ...taken];
      local.lease = { size: taken.length, atMs: nowMs };
    } else local.emptyUntilMs = emptyUntilMs;
  }

  /**
   * Writes the changed bucket if no other function changed it. The last known state is used first: others only take from the
   * bucket, so a bucket that appears empty is empty. *Shape:* false where nothing changed or all writes collided.
   */
  async #change(api: string, local: Local, change: (bucket: TokenBucket) => TokenBucket): Promise<boolean> {
    try {
      for (let attempt = 0; attempt < TRIES; attempt += 1) {
        const before = local.seen?.bucket ?? fullBucket(this.#options.limitsOf(api), this.#options.clock.now());
        const bucket = change(before);
        if (bucket === before) return false;
        // Each try needs the result of the previous one.
        if (await this.#write(api, local, bucket)) return true;
      }
      return false;
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      this.#withoutUntilMs = this.#options.clock.now() + WITHOUT_BUDGET_MS;
      return false;
    }
  }

  async #write(api: string, local: Local, bucket: TokenBucket): Promise<boolean> {
    const { seen } = local;
    const { region, clock, limitsOf } = this.#options;
    const nowMs = clock.now();
    const fullSinceMs = nowMs - refillMs(limitsOf(api));
    const unchanged = seen === undefined ? ABSENT : unchangedSince(seen.version);
    // `bucket` was computed from a full one, so it replaces every full one: other functions may have written since.
    const isFromFull = seen === undefined || isUntouchedSince(seen.bucket, fullSinceMs);
    const condition = isFromFull ? orFullSince(unchanged, fullSinceMs) : unchanged;
    const next = (seen?.version ?? 0) + 1;
    const version = isFromFull ? Math.max(next, nowMs) : next;
    const item = { ...budgetKey(region, api), ...attributesOf(bucket), bucketVersion: version };
    const outcome = await this.#table.write({ kind: 'put', item: expiring(item, bucket), condition });
    local.seen = outcome.kind === 'written' ? { bucket, version } : seenIn(outcome.found);
    return outcome.kind === 'written';
  }
}

/** Without the calls that have lapsed: a process that was frozen for long does not make up for them. */
function stillLeased(leased: readonly number[], { kept = 0 }: CallLimits, nowMs: number): readonly number[] {
  const isKept = (atMs: number, index: number): boolean => index >= leased.length - kept && atMs > nowMs - KEPT_MS;
  return leased.filter((atMs, index) => atMs > nowMs - LEASE_MS || isKept(atMs, index));
}

/** The size of the next lease: twice that of a lease that was used soon, but no more than may be kept if it was used slowly. */
function sizeAgain({ size, atMs }: Local['lease'], { kept = 0 }: CallLimits, nowMs: number): number {
  const ageMs = nowMs - atMs;
  if (ageMs < LEASE_MS) return size * 2;
  return ageMs < KEPT_MS ? Math.min(kept, size * 2) : 1;
}

/** How long an empty bucket of a call that was never throttled takes to be full, with the calls that were taken in advance. */
function refillMs({ capacity, perSecond }: CallLimits): number {
  return (capacity / perSecond) * SECOND_MS + PATIENCE_MS;
}

function isUntouchedSince(bucket: TokenBucket | undefined, sinceMs: number): boolean {
  return bucket !== undefined && bucket.throttledAtMs === undefined && bucket.atMs <= sinceMs;
}

/** Or the item was not written since, by whatever function, and EC2 has never throttled a call: it is a full bucket. */
function orFullSince({ expression, values }: WriteCondition, sinceMs: number): WriteCondition {
  return {
    expression: `${expression} OR (attribute_not_exists(throttledAtMs) AND filledAtMs <= :fullSince)`,
    values: { ...values, ':fullSince': sinceMs },
  };
}

/** An item without a version was not written by Kerf and is overwritten. */
function unchangedSince(version: number | undefined): WriteCondition {
  return version === undefined ? PRESENT : { expression: 'bucketVersion = :seen', values: { ':seen': version } };
}

function attributesOf({ tokens, perSecond, atMs, throttledAtMs }: TokenBucket): Attributes {
  const throttled = throttledAtMs === undefined ? {} : { throttledAtMs };
  return { bucketTokens: tokens, tokensPerSecond: perSecond, filledAtMs: atMs, ...throttled };
}

function expiring(item: Item, { atMs }: TokenBucket): Item {
  return { ...item, expiresAt: Math.ceil(atMs / SECOND_MS) + KEPT_SECONDS };
}

function seenIn(found: Attributes | undefined): Local['seen'] {
  if (found === undefined) return undefined;
  const { throttledAtMs, bucketVersion: version } = found;
  const isReadable = ['bucketTokens', 'tokensPerSecond', 'filledAtMs'].every((name) => typeof found[name] === 'number');
  if (!isReadable) return { version: undefined, bucket: undefined };
  return {
    version: typeof version === 'number' ? version : undefined,
    bucket: {
      tokens: Number(found['bucketTokens']),
      perSecond: Number(found['tokensPerSecond']),
      atMs: Number(found['filledAtMs']),
      ...(throttledAtMs === undefined ? {} : { throttledAtMs: Number(throttledAtMs) }),
    },
  };
}
