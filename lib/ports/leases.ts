import { SECOND_MS } from '../apis/formats/time.ts';

/** The work that at most one run at a time does for a cluster: decisions for the whole cluster. */
export type LeasedWork = 'provisioning' | 'disruption';

/** The duration of a lease that is not renewed. */
export const LEASE_MS = 15 * SECOND_MS;

/** A lease with a later end was made by a function whose clock runs ahead. It counts as expired. */
export const LATEST_END_MS = 2 * LEASE_MS;

/** Whether a lease with this end is held. */
export function isHeldAt(nowMs: number, heldUntilMs: number): boolean {
  return heldUntilMs > nowMs && heldUntilMs <= nowMs + LATEST_END_MS;
}

export interface LeaseName {
  readonly cluster: string;
  readonly work: LeasedWork;
}

/** A lease that this run holds. */
export interface Lease extends LeaseName {
  /** Larger than the fence of every earlier lease of this work, and never used again. */
  readonly fence: number;
  /** When the lease was acquired. The run observes after this time. */
  readonly sinceMs: number;
  /** That of the lease as it was acquired. */
  readonly answersUntilMs?: number;
}

/** The current state of a lease, which any run may hold. */
export interface SeenLease extends LeaseName {
  readonly fence: number;
  /** After this time, the lease is released or expired (`isHeldAt`). */
  readonly heldUntilMs: number;
  /** The start of the current run, or else of the last run that succeeded. @default no run has succeeded */
  readonly runAtMs?: number;
  /**
   * This run answers the wakes that were sent until then, by the clock of their queue: the clock of a function may differ from it by
   * minutes. @default it answers none
   */
  readonly answersUntilMs?: number;
}

/**
 * `busy`: another run holds the lease, and the lease is now marked, so that its holder runs again. `changed`: the lease has
 * changed since it was read, and nothing was written.
 */
export type Acquired =
  | { readonly kind: 'held'; readonly lease: Lease }
  | { readonly kind: 'busy' }
  | { readonly kind: 'changed'; readonly seen: SeenLease };

/** `done`: the run succeeded, and answers all earlier wakes. `failed`: another run must answer them. */
export type RunOutcome = 'done' | 'failed';

/**
 * Leases save work. Correctness does not depend on them: it depends on the epoch.
 *
 * *Contract* (`test/contract/leases.ts`, run on every implementation):
 * - If several runs acquire a lease at once, one of them holds it. A run that gets `busy` has marked the lease.
 * - A mark is never lost: `release` returns it to the holder, or a run that takes over the expired lease observes after it.
 * - A lease expires LEASE_MS after it was acquired or renewed. After another run has taken it over, its former holder can
 *   release it, but cannot renew it or record a decision with it.
 *
 * *Errors:* StaleLeaseError, UnreachableError, RefusedError.
 */
export interface Leases {
  /** *Cost:* one strong read. */
  see(name: LeaseName): Promise<SeenLease>;
  /** A run that acquires the lease sets `answersUntilMs`. *Cost:* one write. */
  acquire(seen: SeenLease): Promise<Acquired>;
  /** *Errors:* StaleLeaseError if the lease has expired or another run has taken it over. */
  renew(lease: Lease): Promise<void>;
  /** *Shape:* whether the lease was marked; false if another run has taken it over. */
  release(lease: Lease, outcome: RunOutcome): Promise<{ readonly runAgain: boolean }>;
}
