import type { Pod } from '../../apis/kubernetes.ts';
import { allowsNoEviction, selectsPod } from '../cluster/pod-disruption-budgets.ts';
import { isKeptInPlace, isProvisionable, isReschedulable } from '../cluster/pods.ts';
import type { ClusterSnapshot } from '../cluster/snapshot.ts';
import type { StateNode } from '../cluster/state-node.ts';
import type { Refusal } from '../scheduling/refusal.ts';
import { whyIgnored } from './ignored-pod.ts';

export interface PodsToPlace {
  readonly pods: readonly Pod[];
  /** Pods that need a place and that no node is made for. */
  readonly refused: readonly { readonly pod: Pod; readonly refusal: Refusal }[];
}

/**
 * The pods that need a place: those that the scheduler found none for (B6), those of CapacityBuffers (B65), and those whose
 * node is going (B7).
 */
export function podsToPlace(
  snapshot: Pick<ClusterSnapshot, 'pods' | 'bufferPods' | 'podDisruptionBudgets'>,
  nodes: readonly StateNode[],
  nowMs: number,
): PodsToPlace {
  const moving = nodes.filter(({ deleting }) => deleting).flatMap((node) => movingPods(node, snapshot, nowMs));
  const pods: Pod[] = [];
  const refused: { readonly pod: Pod; readonly refusal: Refusal }[] = [];
  const pending = [...snapshot.pods, ...(snapshot.bufferPods ?? [])].filter(isProvisionable);
  for (const pod of [...pending, ...moving]) {
    const refusal = whyIgnored(pod);
    if (refusal === undefined) pods.push(pod);
    else refused.push({ pod, refusal });
  }
  return { pods, refused };
}

/** B7: pods on a node that is going need a new place before they are evicted, those aside that will not be. */
function movingPods(
  stateNode: StateNode,
  { podDisruptionBudgets }: Pick<ClusterSnapshot, 'podDisruptionBudgets'>,
  nowMs: number,
): readonly Pod[] {
  return stateNode.pods.filter(
    (pod) =>
      isReschedulable(pod) &&
      !isKeptInPlace(pod, nowMs) &&
      !podDisruptionBudgets.some((budget) => allowsNoEviction(budget) && selectsPod(budget, pod)),
  );
}
