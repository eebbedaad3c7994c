import type { Decision } from '../core/model/decision.ts';

/** A function that others wake: by its queue, or, for the catalogue, by the event bus. */
export type WakeTarget = 'provisioning' | 'lifecycle' | 'disruption' | 'termination' | 'catalogue';

/** A hint to reconcile, never data: a lost wake costs time, a duplicate costs nothing. */
export interface Wake {
  readonly cluster: string;
  /** For logs: `webhook`, `tick`, `launched`, `due`. */
  readonly reason: string;
  /** Reconcile only this claim. @default the whole cluster */
  readonly nodeClaim?: string;
  /** The time of the first wake of the batch that this wake continues. @default the wake begins a batch */
  readonly sinceMs?: number;
  /** The time of the last wake of that batch. @default the time of this wake */
  readonly lastMs?: number;
  /** When the change that caused the wake can be observed. @default when the wake is sent */
  readonly dueMs?: number;
  /** The number of runs in a row that ended with a conflict, each one the repetition of the one before. @default 0 */
  readonly conflicts?: number;
  /** The digest of the NodeClaims that the sender has listed (`claimsDigest`). Equal claims need not be read again. @default unknown */
  readonly claimsDigest?: string;
}

/** The longest delay of a message. A later tick sends the wake for a later due time. */
export const MAX_DELAY_MS = 15 * 60_000;

/**
 * *Contract* (`test/contract/messages.ts`): a wake arrives at least once, in any order, and not before its delay. A longer
 * delay than MAX_DELAY_MS is reduced to it.
 * *Errors:* UnreachableError, RefusedError.
 */
export interface Messages {
  wake(target: WakeTarget, wake: Wake, delayMs?: number): Promise<void>;
  /** Publishes a decision on the event bus, for dashboards, explanations and notifications. */
  publish(decision: Decision): Promise<void>;
}
