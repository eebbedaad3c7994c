import { SECOND_MS } from '../apis/formats/time.ts';

/** What only one run at a time does for a cluster: deciding for all of it. */
export type LeasedWork = 'provisioning' | 'disruption';

/** How long a lease lasts that nobody renews. */
export const LEASE_MS = 15 * SECOND_MS;

/** An end further away than that is of a clock that runs ahead: a lease that it made must lapse as well. */
export const LATEST_END_MS = 2 * LEASE_MS;

/** Whether a lease with that end is held. */
export function isHeldAt(nowMs: number, heldUntilMs: number): boolean {
  return heldUntilMs > nowMs && heldUntilMs <= nowMs + LATEST_END_MS;
}

export interface LeaseName {
  readonly cluster: string;
  readonly work: LeasedWork;
}

/** The right to do the work. */
export interface Lease extends LeaseName {
  /** Larger than that of every lease of the work before it, and never used again. */
  readonly fence: number;
  /** When it was acquired, and its holder began to look. */
  readonly sinceMs: number;
}

/** A lease as it stands, whoever holds it. */
export interface SeenLease extends LeaseName {
  readonly fence: number;
  /** Released or lapsed once that is past (`isHeldAt`). */
  readonly heldUntilMs: number;
  /** When the look began that goes on, or else the last one that came to its end. @default none ever did */
  readonly lookAtMs?: number;
}

/**
 * `busy`: somebody else holds it, as was seen, and will be told on release that another look is wanted; `changed`: it is not
 * as it was seen any more, and nothing was done.
 */
export type Acquired =
  | { readonly kind: 'held'; readonly lease: Lease }
  | { readonly kind: 'busy' }
  | { readonly kind: 'changed'; readonly seen: SeenLease };

/** `done`: the look came to its end, so that what was asked for before it is answered; `failed`: it is still to be made. */
export type LookOutcome = 'done' | 'failed';

/**
 * Leases save work, and are not what correctness rests on: that is the epoch.
 *
 * *Contract* (`test/contract/leases.ts`, run on every implementation):
 * - Of many that acquire one lease at once, one holds it; whoever is told that it is busy has left a mark.
 * - A mark is never lost: the holder hears of it on release, or whoever takes a lapsed lease over looks after it was made.
 * - A lease lapses LEASE_MS after it was acquired or renewed. Its holder may still release it, but neither renew it nor
 *   record a decision with it once it was taken over.
 *
 * *Errors:* StaleLeaseError, UnreachableError, RefusedError.
 */
export interface Leases {
  /** *Cost:* one strong read. */
  see(name: LeaseName): Promise<SeenLease>;
  /** *Cost:* one write. */
  acquire(seen: SeenLease): Promise<Acquired>;
  /** *Errors:* StaleLeaseError where it has lapsed or was taken over. */
  renew(lease: Lease): Promise<void>;
  /** *Shape:* whether another look was asked for. One that was taken over is not ours to release: false. */
  release(lease: Lease, outcome: LookOutcome): Promise<{ readonly lookAgain: boolean }>;
}
