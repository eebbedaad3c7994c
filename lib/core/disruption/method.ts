import type { DisruptionReason } from '../../apis/node-pool.ts';
import type { StateNode } from '../cluster/state-node.ts';
import type { Blocked, Due } from '../model/decision.ts';
import type { DisruptionCommand } from '../model/disruption-command.ts';
import type { Refusal } from '../model/refusal.ts';
import type { WhatIf } from '../provisioning/what-if.ts';
import type { BudgetLedger } from './budget-ledger.ts';
import type { BufferedNodes } from './buffered-nodes.ts';
import type { Candidate } from './candidates.ts';

/** What a method decides by, in one pass or for one command. */
export interface World {
  readonly candidates: Candidates;
  readonly budgets: BudgetLedger;
  /** Where the pods of nodes would go if these were gone. *Cost:* nothing unless it is asked. */
  readonly whatIf: WhatIf;
  readonly buffered: BufferedNodes;
  readonly nowMs: number;
  /** How many steps a search may take: a decision must replay, so it ends after steps, not after seconds. */
  readonly steps: number;
}

export interface Candidates {
  readonly nodes: readonly StateNode[];
  /** The node as a candidate, or why it is none (E3); undefined for one that is not ours, still starting or already going. */
  judge(stateNode: StateNode): Candidate | Refusal | undefined;
}

/** What a method proposes: it has no effect until it is validated and executed. */
export interface Proposal {
  /** The whole command, less what all commands have alike; undefined where there is nothing to do. */
  readonly command?: Pick<DisruptionCommand, 'candidates' | 'replacements'>;
  readonly blocked: readonly Blocked[];
  readonly due: readonly Due[];
}

/** One reason to disrupt nodes. The methods stand in a list; the first that proposes a command wins the pass (E2). */
export interface Method {
  readonly name: DisruptionCommand['method'];
  readonly reason: DisruptionReason;
  propose(world: World): Proposal;
  /** E29: the candidates of the command that may be disrupted now; none where the command no longer holds. */
  stillValid(command: DisruptionCommand, world: World): readonly Candidate[];
}
