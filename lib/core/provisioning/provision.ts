import { type Pod, podKey } from '../../apis/kubernetes.ts';
import type { Action, Blocked, Due, Verdict } from '../action.ts';
import { isProvisionable, isReschedulable } from '../cluster/pods.ts';
import type { ClusterSnapshot } from '../cluster/snapshot.ts';
import { type StateNode, stateNodes } from '../cluster/state-node.ts';
import { type Schedule, solve, type Unplaced } from '../scheduling/solve.ts';
import { newNodeClaim } from './new-node-claim.ts';

/** B5: how long a node stays promised to the pods that were placed on it. */
const NOMINATION_MS = 20_000;

export interface ProvisionContext {
  readonly decisionId: string;
  readonly nowMs: number;
}

/**
 * Which NodeClaims to create for the pods that have no place, and which nodes are promised to pods.
 * *Shape:* one `create-node-claim` a new node, one `nominate-node` an existing one, one `blocked` for every pod and pool
 * that refused it.
 */
export function provision(snapshot: ClusterSnapshot, context: ProvisionContext): Verdict {
  const nodes = stateNodes(snapshot);
  const pods = [...snapshot.pods.filter(isProvisionable), ...nodes.flatMap(movingPods)];
  if (pods.length === 0) return { actions: [], blocked: [], due: [] };
  const schedule = solve({ pods, stateNodes: nodes, nodePools: snapshot.nodePools, daemonSets: snapshot.daemonSets });
  return {
    actions: [...creations(snapshot, schedule, context), ...nominations(schedule, context)],
    blocked: [...schedule.unplaced.flatMap(blockedBy), ...unusablePools(snapshot)],
    due: schedule.unplaced.length === 0 ? [] : nextCapacity(snapshot),
  };
}

/** Pods that found no place may find one when an offering is tried again. */
function nextCapacity({ unavailable }: ClusterSnapshot): readonly Due[] {
  return unavailable.length === 0
    ? []
    : [{ atMs: Math.min(...unavailable.map(({ untilMs }) => untilMs)), kind: 'settling' }];
}

/** B7: pods on a node that is going need a new place before they are evicted. */
function movingPods(stateNode: StateNode): readonly Pod[] {
  return stateNode.deleting ? stateNode.pods.filter(isReschedulable) : [];
}

function creations(snapshot: ClusterSnapshot, schedule: Schedule, context: ProvisionContext): readonly Action[] {
  const made = { cluster: snapshot.cluster, ...context };
  return schedule.newClaims.map((claim, index) => ({
    kind: 'create-node-claim',
    nodeClaim: newNodeClaim(claim, index, made),
  }));
}

function nominations(schedule: Schedule, { nowMs }: ProvisionContext): readonly Action[] {
  return schedule.existing.flatMap(({ stateNode, pods }) => {
    const pending = pods.filter(isProvisionable);
    if (stateNode.node === undefined || pending.length === 0) return [];
    return [
      {
        kind: 'nominate-node' as const,
        node: stateNode.name,
        pods: pending.map(podKey),
        untilMs: nowMs + NOMINATION_MS,
      },
    ];
  });
}

function blockedBy({ pod, refusals }: Unplaced): readonly Blocked[] {
  const subject = `pod ${podKey(pod)}`;
  if (refusals.length === 0) {
    return [
      { subject, reason: 'NoNodePool', message: 'there is no NodePool that could launch a node for it', numbers: {} },
    ];
  }
  return refusals.map(({ nodePool, refusal }) => ({
    subject,
    ...(nodePool === undefined ? {} : { nodePool }),
    ...refusal,
  }));
}

/** A pool that can launch nothing is named once, so that "no NodePool" is never the whole answer. */
function unusablePools(snapshot: ClusterSnapshot): readonly Blocked[] {
  return snapshot.nodePools.flatMap(({ nodePool, unusable }) =>
    unusable === undefined
      ? []
      : [{ subject: `nodepool ${nodePool.metadata.name}`, nodePool: nodePool.metadata.name, ...unusable, numbers: {} }],
  );
}
