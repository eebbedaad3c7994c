import { podKey } from '../../apis/kubernetes.ts';
import { CAPACITY_TYPE } from '../../apis/labels.ts';
import type { StateNode } from '../../core/cluster/state-node.ts';
import { describeCandidate } from '../../core/disruption/candidates.ts';
import { ALL_METHODS } from '../../core/disruption/methods/all-methods.ts';
import { nodePrice } from '../../core/disruption/node-price.ts';
import { type DisruptionPlan, planDisruption } from '../../core/disruption/plan-disruption.ts';
import type { PlannedCommand } from '../../core/disruption/play-out.ts';
import type { ClusterSnapshot } from '../../core/model/cluster-snapshot.ts';
import { instanceOf } from '../../core/model/node-claim-record.ts';
import { type PodRefusal, refusalsOf } from '../../core/provisioning/pod-refusals.ts';
import { provision } from '../../core/provisioning/provision.ts';
import type { PlannedNodeClaim } from '../../core/scheduling/schedule.ts';
import { totalPrice } from '../plan/claim-output.ts';
import { clusterPrice } from '../plan/disruption/disruption-output.ts';
import { plannedEvictions, plannedSavings, surplusNodes } from '../plan/disruption/plan-totals.ts';
import { totalUsd } from '../render/format-money.ts';

/** A node that is launched or removed. */
export interface ChangedNode {
  /** @default it is launched, and has no name yet */
  readonly node?: string;
  readonly nodePool: string;
  readonly instanceType: string;
  readonly capacityType: string;
  readonly zone: string;
  readonly usdPerHour: number;
  /** `emptiness`, `drift`, …; `replicas` for one beyond `spec.replicas`; `provisioning` for one that is launched for pending pods. */
  readonly by: string;
}

/** What Kerf would do with a cluster, and what the cluster would cost then. */
export interface Outcome {
  readonly removed: readonly ChangedNode[];
  readonly launched: readonly ChangedNode[];
  /** As `namespace/name`. */
  readonly evicted: readonly string[];
  readonly unschedulable: ReadonlyMap<string, readonly PodRefusal[]>;
  /** The price of all nodes of Kerf in the end. */
  readonly usdPerHour: number;
  /** Nodes whose removal waits for a disruption budget. */
  readonly waiting: number;
}

/** The snapshots that provisioning and disruption decide on. */
export interface Decided {
  readonly provisioning: ClusterSnapshot;
  readonly disruption: ClusterSnapshot;
  readonly nowMs: number;
}

/** Decides as the functions would. *Cost:* that of `provision` and `planDisruption`. */
export function outcomeOf({ provisioning, disruption, nowMs }: Decided): Outcome {
  const { schedule } = provision(provisioning, { decisionId: 'diff', nowMs });
  const plan = planDisruption(ALL_METHODS, disruption, nowMs);
  const { commands, blocked } = plan;
  const waiting = blocked.filter(({ subject, reason }) => subject.kind === 'Node' && reason === 'BudgetExhausted');
  return {
    removed: [...surplusNodes(plan).flatMap((node) => surplusNode(node, plan)), ...commands.flatMap(removedBy)],
    launched: [
      ...schedule.newClaims.map((claim) => launchedNode(claim, 'provisioning')),
      ...commands.flatMap(({ method, replacements }) => replacements.map((claim) => launchedNode(claim, method))),
    ],
    evicted: plannedEvictions(plan).map(podKey),
    unschedulable: new Map(schedule.unplaced.map((one) => [podKey(one.pod), refusalsOf(one)])),
    usdPerHour: totalUsd([clusterPrice(plan), totalPrice(schedule.newClaims), -plannedSavings(plan)]),
    waiting: new Set(waiting.map(({ subject }) => subject.name)).size,
  };
}

function surplusNode(stateNode: StateNode, { nodePools }: DisruptionPlan): readonly ChangedNode[] {
  const { nodeClaim, name: node } = stateNode;
  const instance = nodeClaim && instanceOf(nodeClaim);
  if (instance === undefined) return [];
  const { instanceType, capacityType, zone } = instance;
  const usdPerHour = nodePrice(stateNode, nodePools);
  return [{ node, nodePool: nodeClaim?.nodePool ?? '', instanceType, capacityType, zone, usdPerHour, by: 'replicas' }];
}

function removedBy({ method, candidates }: PlannedCommand): readonly ChangedNode[] {
  return candidates.map((candidate) => {
    const { node, nodePool, instanceType, zone, priceUsdPerHour: usdPerHour } = describeCandidate(candidate);
    const capacityType = candidate.stateNode.labels[CAPACITY_TYPE] ?? 'unknown';
    return { node, nodePool, instanceType, capacityType, zone, usdPerHour, by: method };
  });
}

function launchedNode({ template, cheapest: { type, offering } }: PlannedNodeClaim, by: string): ChangedNode {
  return {
    nodePool: template.nodePool.metadata.name,
    instanceType: type.name,
    capacityType: offering.capacityType,
    zone: offering.zone,
    usdPerHour: offering.priceUsdPerHour,
    by,
  };
}
