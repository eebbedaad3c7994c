import { randomUUID } from 'node:crypto';
import { optional } from '../../apis/optional.ts';
import type { Clock } from '../../ports/clock.ts';
import { StaleLeaseError } from '../../ports/errors.ts';
import {
  type Acquired,
  isHeldAt,
  LATEST_END_MS,
  LEASE_MS,
  type Lease,
  type LeaseName,
  type Leases,
  type RunOutcome,
  type SeenLease,
} from '../../ports/leases.ts';
import { leaseKey } from './keys.ts';
import { ABSENT, type Attributes, Table, type TableOptions, type WriteCondition, type WriteOutcome } from './table.ts';

export interface LeasesOptions extends TableOptions {
  readonly clock: Clock;
}

/**
 * One small item for the work of a cluster, updated by optimistic locking. It has no time to live, because its number must
 * never be reused.
 */
export class DynamoDbLeases implements Leases {
  readonly #table: Table;
  readonly #clock: Clock;

  constructor({ clock, ...options }: LeasesOptions) {
    this.#table = new Table(options);
    this.#clock = clock;
  }

  async see(name: LeaseName): Promise<SeenLease> {
    return seenIn(name, await this.#table.get(leaseKey(name)), this.#clock.now());
  }

  async acquire(seen: SeenLease): Promise<Acquired> {
    const nowMs = this.#clock.now();
    const { cluster, work } = seen;
    if (isHeldAt(nowMs, seen.heldUntilMs)) {
      const marked = await this.#set(seen, { wanted: 1 }, heldBy(seen.fence, nowMs));
      return marked.kind === 'written'
        ? { kind: 'busy' }
        : { kind: 'changed', seen: seenIn(seen, marked.found, nowMs) };
    }
    const { answersUntilMs } = seen;
    const lease = { cluster, work, fence: fenceAfter(seen, nowMs), sinceMs: nowMs, ...optional({ answersUntilMs }) };
    const leaseHolder = randomUUID();
    const taken = await this.#set(lease, { ...attributesOf(lease), leaseHolder }, freeSince(seen.fence, nowMs));
    // If the response was lost, the repeated write is refused because of the first one.
    return taken.kind === 'written' || taken.found?.['leaseHolder'] === leaseHolder
      ? { kind: 'held', lease }
      : { kind: 'changed', seen: seenIn(seen, taken.found, nowMs) };
  }

  async renew(lease: Lease): Promise<void> {
    const nowMs = this.#clock.now();
    const outcome = await this.#set(lease, { heldUntilMs: nowMs + LEASE_MS }, heldBy(lease.fence, nowMs));
    if (outcome.kind === 'refused') {
      throw new StaleLeaseError(`${lease.work} of ${lease.cluster}: lease ${lease.fence} has expired; observe again`);
    }
  }

  async release(lease: Lease, outcome: RunOutcome): Promise<{ readonly runAgain: boolean }> {
    const ours = fencedBy(lease);
    const attributes = { heldUntilMs: 0, wanted: 0, ...(outcome === 'done' && lookedIn(lease)) };
    const unmarked = { expression: `${ours.expression} AND wanted = :no`, values: { ...ours.values, ':no': 0 } };
    const first = await this.#set(lease, attributes, unmarked);
    if (first.kind === 'written' || first.found?.['leaseFence'] !== lease.fence) return { runAgain: false };
    // The lease is marked. This write removes the mark and the holder together.
    return { runAgain: (await this.#set(lease, attributes, ours)).kind === 'written' };
  }

  #set(name: LeaseName, attributes: Attributes, condition: WriteCondition): Promise<WriteOutcome> {
    return this.#table.write({ kind: 'set', key: leaseKey(name), attributes, condition });
  }
}

/** The fence of an item without a valid number, which the next holder overwrites. Valid numbers are positive. */
const UNREADABLE = -1;

/** The condition for writes that require the lease. */
export function fencedBy({ fence }: Lease): WriteCondition {
  return { expression: 'leaseFence = :fence', values: { ':fence': fence } };
}

function heldBy(fence: number, nowMs: number): WriteCondition {
  return {
    expression: 'leaseFence = :fence AND heldUntilMs > :now',
    values: { ':fence': fence, ':now': nowMs },
  };
}

function freeSince(fence: number, nowMs: number): WriteCondition {
  if (fence === 0) return ABSENT;
  if (fence === UNREADABLE) {
    return {
      expression: 'NOT attribute_type(leaseFence, :number) OR leaseFence <= :none',
      values: { ':number': 'N', ':none': 0 },
    };
  }
  return {
    expression: 'leaseFence = :fence AND (heldUntilMs <= :now OR heldUntilMs > :latest)',
    values: { ':fence': fence, ':now': nowMs, ':latest': nowMs + LATEST_END_MS },
  };
}

/** The first number is the time, so a lost item does not lead to a reused number. */
function fenceAfter({ fence }: SeenLease, nowMs: number): number {
  return fence === 0 || fence === UNREADABLE ? nowMs : fence + 1;
}

function attributesOf({ fence, sinceMs, answersUntilMs = 0 }: Lease): Attributes {
  const looking = { lookingSinceMs: sinceMs, answeringUntilMs: answersUntilMs };
  return { leaseFence: fence, heldUntilMs: sinceMs + LEASE_MS, ...looking, wanted: 0 };
}

function lookedIn({ sinceMs, answersUntilMs = 0 }: Lease): Attributes {
  return { lookedAtMs: sinceMs, answeredUntilMs: answersUntilMs };
}

function seenIn({ cluster, work }: LeaseName, item: Attributes | undefined, nowMs: number): SeenLease {
  if (item === undefined) return { cluster, work, fence: 0, heldUntilMs: 0 };
  const fence = item['leaseFence'];
  if (typeof fence !== 'number' || fence <= 0) return { cluster, work, fence: UNREADABLE, heldUntilMs: 0 };
  const heldUntilMs = Number(item['heldUntilMs'] ?? 0);
  const isHeld = isHeldAt(nowMs, heldUntilMs);
  const runAtMs = isHeld ? item['lookingSinceMs'] : item['lookedAtMs'];
  // An earlier version of Kerf does not write it: then the time of an earlier run stays, or there is none.
  const answersUntilMs = Number(item[isHeld ? 'answeringUntilMs' : 'answeredUntilMs'] ?? 0);
  return {
    cluster,
    work,
    fence,
    heldUntilMs,
    ...(runAtMs !== undefined && { runAtMs: Number(runAtMs) }),
    ...(answersUntilMs > 0 && { answersUntilMs }),
  };
}
