import { SECOND_MS } from '../../apis/time.ts';
import {
  type CallLimits,
  fullBucket,
  type TokenBucket,
  takeTokens,
  throttledBucket,
} from '../../core/call-budget/token-bucket.ts';
import type { CallBudget, CallGrant } from '../../ports/call-budget.ts';
import type { Clock } from '../../ports/clock.ts';
import { PortError } from '../../ports/errors.ts';
import { budgetKey } from './keys.ts';
import { ABSENT, type Attributes, type Condition, type Item, PRESENT, Table, type TableOptions } from './table.ts';

export interface CallBudgetOptions extends TableOptions {
  readonly region: string;
  readonly clock: Clock;
  readonly limitsOf: (api: string) => CallLimits;
}

/** A busy function writes once for ten calls. */
const LARGEST_LEASE = 10;
/** A function that is frozen between two invocations must not come back with calls of an hour ago. */
const LEASE_MS = 10 * SECOND_MS;
/** While DynamoDB does not answer, nobody waits for it again and again. */
const WITHOUT_BUDGET_MS = 5 * SECOND_MS;
/** How soon another try is worth while for who lost every race. */
const CROWDED_MS = SECOND_MS / 5;
const TRIES = 5;
/** An item that nobody wrote for an hour is a full bucket. */
const KEPT_SECONDS = 3_600;

/** What this function knows of one API's bucket, and the calls that it has leased. */
interface Local {
  seen: { readonly bucket: TokenBucket; readonly version: number | undefined } | undefined;
  leased: readonly number[];
  lease: { readonly size: number; readonly atMs: number };
  leasing: Promise<void> | undefined;
  waiting: number;
  emptyUntilMs: number;
}

/**
 * The budget in one small item an API and region, changed only as it was seen. Calls are leased a few at a time: one at
 * first, twice as many each time that all were used, as many as callers wait.
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
      local.leased = local.leased.filter((atMs) => atMs > nowMs - LEASE_MS);
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
      // Callers that come meanwhile share the lease; who gets nothing of it leases again.
      await local.leasing;
      local.waiting -= 1;
    }
  }

  async throttled(api: string): Promise<void> {
    const local = this.#of(api);
    // What was leased of a bucket that turned out to be empty is worth nothing.
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
    // The callers of this very moment are counted.
    await Promise.resolve();
    const nowMs = this.#options.clock.now();
    const again = nowMs - local.lease.atMs < LEASE_MS ? local.lease.size * 2 : 1;
    const atMost = Math.min(LARGEST_LEASE, Math.max(1, again, local.waiting));
    let taken: readonly number[] = [];
    let emptyUntilMs = nowMs + CROWDED_MS;
    const written = await this.#change(api, local, (bucket) => {
      const answer = takeTokens(bucket, this.#options.limitsOf(api), { atMost, nowMs });
      taken = answer.atMs;
      // One that a clock far ahead wrote is put right, or it would never fill.
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
   * Writes the changed bucket where nobody else changed it. What was seen last is tried first: others only take from it, so
   * that a bucket that looks empty is empty. *Shape:* false where there was nothing to change, or others were always faster.
   */
  async #change(api: string, local: Local, change: (bucket: TokenBucket) => TokenBucket): Promise<boolean> {
    try {
      for (let attempt = 0; attempt < TRIES; attempt += 1) {
        const before = local.seen?.bucket ?? fullBucket(this.#options.limitsOf(api), this.#options.clock.now());
        const bucket = change(before);
        if (bucket === before) return false;
        // Each try needs the answer of the one before.
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
    const version = (seen?.version ?? 0) + 1;
    const condition = seen === undefined ? ABSENT : unchangedSince(seen.version);
    const item = { ...budgetKey(this.#options.region, api), ...attributesOf(bucket), bucketVersion: version };
    const outcome = await this.#table.write({ kind: 'put', item: expiring(item, bucket), condition });
    local.seen = outcome.kind === 'written' ? { bucket, version } : seenIn(outcome.found);
    return outcome.kind === 'written';
  }
}

/** An item without a version is nobody's of ours: whatever it says is written over. */
function unchangedSince(version: number | undefined): Condition {
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
