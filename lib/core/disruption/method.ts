import type { DisruptionReason, NodePool } from '../../apis/node-pool.ts';
import type { StateNode } from '../cluster/state-node.ts';
import type { NodePoolView } from '../model/cluster-snapshot.ts';
import type { Blocked, Due } from '../model/decision.ts';
import type { StoppedMethod } from '../model/disruption/pass-memory.ts';
import type { DisruptionCommand, DisruptionMethod } from '../model/disruption-command.ts';
import type { NodeClaimRecord } from '../model/node-claim-record.ts';
import type { Refusal } from '../model/refusal.ts';
import type { SchedulingOptions } from '../model/scheduling-options.ts';
import type { WhatIf } from '../provisioning/what-if.ts';
import type { Bounds } from '../scheduling/bounds.ts';
import type { PlannedNodeClaim, Schedule } from '../scheduling/schedule.ts';
import type { BudgetLedger } from './budget-ledger.ts';
import type { BufferedNodes } from './buffered-nodes.ts';
import type { Candidate, DisruptionClass } from './candidates.ts';
import type { MoveHistory } from './restraint/move-history.ts';
import type { StepLedger } from './step-ledger.ts';

/** The input of a method, for one pass or one command. */
export interface World {
  readonly candidates: Candidates;
  readonly budgets: BudgetLedger;
  /** Returns where the pods of the nodes would go if the nodes were gone. *Cost:* none until it is called. */
  readonly whatIf: WhatIf;
  /** Refuses removals that cannot save anything, without a simulation. *Cost:* none until it is used. */
  readonly bounds: Bounds;
  readonly buffered: BufferedNodes;
  /** The names of nodes that commands remove, including the command that is validated. Consolidation moves no pods to them. */
  readonly leaving: ReadonlySet<string>;
  /** With the instance types that they can launch now. */
  readonly nodePools: readonly NodePoolView[];
  readonly options: SchedulingOptions;
  /** What consolidation has moved. Undefined if no NodePool limits moves. */
  readonly history: MoveHistory | undefined;
  readonly nowMs: number;
  /** Returns the world after a move, as if it were carried out at once. Its budgets are the same. *Cost:* O(nodes). @param reason the reason of the method, consolidation by default */
  after(move: EvaluatedMove, reason?: DisruptionReason): World;
  /** Whether moves that save little for their evictions wait (E28). A validation and a plan have all moves. @default false */
  readonly waits?: boolean;
  /** Where the method stopped in the last pass. @default it begins with the first candidates */
  readonly stoppedAt?: StoppedMethod;
  /** The steps that the method may take. A question spends those of `stepsOfOthers`; the method spends those of the nodes. */
  readonly steps: StepLedger;
  /** The steps of a question for pods that are not of its nodes: pods that wait, and pods of nodes that are being deleted. */
  stepsOfOthers(): number;
  /** Returns the same world, in which these steps are spent. */
  withSteps(steps: StepLedger): World;
}

export interface Candidates {
  readonly nodes: readonly StateNode[];
  /** Returns the node as a candidate, or why it is not one (E3). *Shape:* undefined if Kerf does not manage it, it is starting or being deleted, or its deletion was refused. @param as of a graceful method by default (E5) */
  judge(stateNode: StateNode, as?: DisruptionClass): Candidate | Refusal | undefined;
}

/** Nodes to remove, and the nodes that replace them. */
export interface Move {
  readonly candidates: readonly Candidate[];
  /** Planned and not created. Empty if the pods of the candidates need no new node. */
  readonly replacements: readonly PlannedNodeClaim[];
  /** E26: the lowest score of the NodePools that must approve the move. @default none must */
  readonly score?: number;
}

/** A move that lowers the price of the cluster. */
export interface EvaluatedMove extends Move {
  /** The existing nodes to which pods of the candidates would move, with these pods. */
  readonly targets: Schedule['existing'];
  /** The sum of the prices of the candidates. */
  readonly sourceUsdPerHour: number;
  /** The sum less the cheapest offerings of the replacements. */
  readonly savingsUsdPerHour: number;
  /** The number of pods that must move. */
  readonly evictions: number;
}

/** The proposal of a method. It has no effect until it is validated and executed. */
export interface Proposal {
  /** Each move becomes a command of its own. The moves are valid together, in this order. */
  readonly moves: readonly Move[];
  readonly blocked: readonly Blocked[];
  readonly due: readonly Due[];
  /** Where the method stopped if it has used its steps. @default it has evaluated every candidate */
  readonly stopped?: Omit<StoppedMethod, 'method'>;
}

/** What a run reads before it decides whether to read instance types. */
export interface SeenPools {
  readonly nodePools: readonly NodePool[];
  readonly nodeClaims: readonly NodeClaimRecord[];
}

/** Whether a method may call `whatIf`. */
export function needsInstanceTypes(methods: readonly Method[], seen: SeenPools): boolean {
  return methods.some((method) => method.placesPods?.(seen) ?? true);
}

/** A reason to disrupt nodes. The methods form a list, and a pass ends with the first method that proposes a move (E2). */
export interface Method {
  readonly name: DisruptionMethod;
  readonly reason: DisruptionReason;
  /** How long a command waits before it is validated and executed. @default 15 s (E29) */
  readonly validateAfterMs?: number;
  /** Whether it may call `whatIf`, for which the function must read instance types and volumes. @default it may, always */
  readonly placesPods?: (seen: SeenPools) => boolean;
  /** Whether the method is left out if a plan without it saves more. @default false */
  readonly isOptional?: true;
  propose(world: World): Proposal;
  /** E29: returns the part of the command that may be carried out now. *Shape:* undefined if the command is no longer valid. */
  validate(command: DisruptionCommand, world: World): Move | undefined;
}
