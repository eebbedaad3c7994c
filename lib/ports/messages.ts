import type { Decision } from '../core/model/decision.ts';

/** A function that is woken through a queue of its own. */
export type WakeTarget = 'provisioning' | 'lifecycle' | 'disruption' | 'termination' | 'catalogue';

/** A hint to look, never data: losing one costs time, doubling one costs nothing. */
export interface Wake {
  readonly cluster: string;
  /** For logs: `webhook`, `tick`, `launched`, `due`. */
  readonly reason: string;
  /** Only this claim need be looked at; absent: all of the cluster. */
  readonly nodeClaim?: string;
  /** This one carries a batch on that began with a wake sent then. @default it is a wake of its own */
  readonly sinceMs?: number;
  /** When the last wake of that batch was sent. @default this one's own time */
  readonly lastMs?: number;
  /** What it was sent for is there to be seen then. @default when it is sent */
  readonly dueMs?: number;
}

/** The longest delay of a message; what is due later is armed again by whoever is woken before. */
export const LONGEST_DELAY_MS = 15 * 60_000;

/**
 * *Contract* (`test/contract/messages.ts`): a wake arrives at least once, not before its delay, in any order; a delay
 * above LONGEST_DELAY_MS is cut to it.
 * *Errors:* UnreachableError, RefusedError.
 */
export interface Messages {
  wake(target: WakeTarget, wake: Wake, delayMs?: number): Promise<void>;
  /** Tells the bus what was decided; listeners are dashboards, explain, notifications. */
  publish(decision: Decision): Promise<void>;
}
