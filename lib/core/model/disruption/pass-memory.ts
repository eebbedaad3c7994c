import type { DisruptionMethod } from '../disruption-command.ts';

/** What passes of disruption keep for later ones. Without it, a pass evaluates more, and decides nothing that is invalid. */
export interface PassMemory {
  readonly rejected: readonly RejectedNode[];
  /** The methods that have not evaluated every candidate yet. */
  readonly stopped: readonly StoppedMethod[];
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
  /** A fingerprint of what the method reads of the node. The pause ends if it changes. */
  readonly inputs: string;
  /** The number of rejections in a row with the same inputs. */
  readonly times: number;
  /** The end of the pause in which the method does not propose the node. */
  readonly untilMs: number;
}

export const NO_MEMORY: PassMemory = { rejected: [], stopped: [] };

/** A memory as it is stored: an earlier version may not have stored every list. */
export type StoredPassMemory = Partial<PassMemory>;

export function passMemoryFromStored({ rejected = [], stopped = [] }: StoredPassMemory): PassMemory {
  return { rejected, stopped };
}
