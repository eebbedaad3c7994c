import type { DisruptionReason } from '../../apis/node-pool.ts';
import type { StateNode } from '../cluster/state-node.ts';
import type { DisruptionCommand } from '../model/disruption-command.ts';
import type { Refusal } from '../model/refusal.ts';
import type { BufferedNodes } from './buffered-nodes.ts';
import type { Candidate } from './candidates.ts';

/** One reason to disrupt nodes. The methods stand in a list; the first that has something to do wins the pass (E2). */
export interface Method {
  readonly name: DisruptionCommand['method'];
  readonly reason: DisruptionReason;
  /** Whether the node is one for this method at all. */
  readonly concerns: (stateNode: StateNode) => boolean;
  /** Why it is left alone by this method, though another may take it. */
  readonly whyExcluded: (candidate: Candidate, buffered: BufferedNodes) => Refusal | undefined;
  /** From when on it may be disrupted; undefined: never. */
  readonly eligibleAtMs: (candidate: Candidate) => number | undefined;
}
