import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Controller, Decision, Verdict } from '../model/decision.ts';

/** What a decision on a whole cluster has read besides the snapshot. */
export interface DecidedContext {
  readonly decisionId: string;
  readonly nowMs: number;
  /** Of disruption: NodeClaims whose deletion was refused a short time ago. @default none */
  readonly refused?: readonly string[];
  /** Of disruption: nodes whose taints could not be changed a short time ago. @default none */
  readonly refusedTaints?: readonly string[];
  /** Of disruption: whether taints are added and removed. @default true */
  readonly taints?: boolean;
}

/** A decision on a whole cluster, with everything that it has read. The same input gives the same verdict. */
export interface DecidedOn {
  readonly controller: Controller;
  readonly snapshot: ClusterSnapshot;
  readonly context: DecidedContext;
  readonly verdict: Verdict;
  /** The parts that were recorded and carried out, with their outcomes. */
  readonly decisions: readonly Decision[];
}

/** The fields of a verdict, without what else a function returns with it. *Shape:* as JSON has it. */
export function plainVerdict({
  actions,
  blocked,
  onExistingNodes,
  price,
  due,
  passMemory,
  unusedLaunches,
  softTaints,
}: Verdict): unknown {
  const kept = { passMemory, unusedLaunches, softTaints };
  return JSON.parse(JSON.stringify({ actions, blocked, onExistingNodes, price, due, ...kept }));
}
