import { podKey } from '../../apis/kubernetes.ts';
import { CAPACITY_TYPE } from '../../apis/labels.ts';
import type { StateNode } from '../../core/cluster/state-node.ts';
import { describeCandidate } from '../../core/disruption/candidates.ts';
import { ALL_METHODS } from '../../core/disruption/methods/all-methods.ts';
import { planDisruption } from '../../core/disruption/plan-disruption.ts';
import type { PlannedCommand } from '../../core/disruption/play-out.ts';
import type { ClusterSnapshot } from '../../core/model/cluster-snapshot.ts';
import { type PodRefusal, refusalsOf } from '../../core/provisioning/pod-refusals.ts';
import { provision } from '../../core/provisioning/provision.ts';
import type { PlannedNodeClaim } from '../../core/scheduling/schedule.ts';
import { totalPrice } from '../plan/claim-output.ts';
import { clusterPrice, savings } from '../plan/disruption/disruption-output.ts';
import { evictionsOf } from '../plan/disruption/render-commands.ts';
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
  /** `emptiness`, `drift`, …; `provisioning` for a node that is launched for pending pods. */
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
  const { commands, nodes, blocked } = plan;
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const nodeNamed = (name: string): StateNode | undefined => byName.get(name);
  const waiting = blocked.filter(({ subject, reason }) => subject.kind === 'Node' && reason === 'BudgetExhausted');
  return {
    removed: commands.flatMap(removedBy),
    launched: [
      ...schedule.newClaims.map((claim) => launchedNode(claim, 'provisioning')),
      ...commands.flatMap(({ method, replacements }) => replacements.map((claim) => launchedNode(claim, method))),
    ],
    evicted: evictionsOf(commands, nodeNamed).map(podKey),
    unschedulable: new Map(schedule.unplaced.map((one) => [podKey(one.pod), refusalsOf(one)])),
    usdPerHour: totalUsd([clusterPrice(plan), totalPrice(schedule.newClaims), -savings(commands)]),
    waiting: new Set(waiting.map(({ subject }) => subject.name)).size,
  };
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
