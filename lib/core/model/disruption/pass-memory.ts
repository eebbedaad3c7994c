import type { DisruptionReason } from '../../../apis/node-pool.ts';
import type { DisruptionMethod } from '../disruption-command.ts';

/** What passes of disruption keep for later ones. Without it, a pass evaluates more, and decides nothing that is invalid. */
export interface PassMemory {
  readonly rejected: readonly RejectedNode[];
  /** The methods that have not evaluated every candidate yet. */
  readonly stopped: readonly StoppedMethod[];
  /** The NodePools whose last replacements failed. */
  readonly failing: readonly FailingPool[];
}

/** Where a method stopped, because it had used the steps of the pass. */
export interface StoppedMethod {
  readonly method: DisruptionMethod;
  /** The name of the last node that it evaluated. The next pass continues with the names after it. */
  readonly after: string;
  /** The number of candidates before and at this place, and of all. */
  readonly evaluated: number;
  readonly candidates: number;
}

/** A node of a command that its method rejected, although nothing about the nodes of the command had changed. */
export interface RejectedNode {
  readonly method: DisruptionMethod;
  readonly nodeClaim: string;
  /** The command had launched replacements: all methods of this reason leave the node out. @default only `method` does */
  readonly reason?: DisruptionReason;
  /** A fingerprint of what the method reads of the node. The pause ends if it changes. */
  readonly inputs: string;
  /** The number of rejections in a row with the same inputs. */
  readonly times: number;
  /** The end of the pause in which the method does not propose the node. */
  readonly untilMs: number;
}

/** A NodePool of which nodes were launched as replacements and not initialized, and none since then was. */
export interface FailingPool {
  readonly nodePool: string;
  /** A fingerprint of the NodePool and its NodeClass. The failures do not count if it changes. */
  readonly inputs: string;
  /** The number of commands in a row that failed. */
  readonly failed: number;
  /** The number of pauses. Commands that are in flight at the same time fail together, and there is one pause. */
  readonly times: number;
  /** When the last replacements that failed were launched. A node launched since then that is initialized ends the pauses. */
  readonly launchedAtMs: number;
  /** The beginning and the end of the last pause. */
  readonly sinceMs: number;
  readonly untilMs: number;
}

export const NO_MEMORY: PassMemory = { rejected: [], stopped: [], failing: [] };

/** A memory as it is stored: an earlier version may not have stored every list. */
export type StoredPassMemory = Partial<PassMemory>;

export function passMemoryFromStored({ rejected = [], stopped = [], failing = [] }: StoredPassMemory): PassMemory {
  return { rejected, stopped, failing };
}
