import type { Pod } from '../../apis/kubernetes.ts';
import { allowsNoEviction, selectsPod } from '../cluster/pod-disruption-budgets.ts';
import { isKeptInPlace, isProvisionable, isReschedulable } from '../cluster/pods.ts';
import type { StateNode } from '../cluster/state-node.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Refusal } from '../model/refusal.ts';
import { whyIgnored } from './ignored-pod.ts';

export interface PodsToPlace {
  readonly pods: readonly Pod[];
  /** Pods that need a place and that no node is made for. */
  readonly refused: readonly { readonly pod: Pod; readonly refusal: Refusal }[];
}

type Seen = Pick<ClusterSnapshot, 'pods' | 'bufferPods' | 'podDisruptionBudgets'>;

/**
 * The pods that need a place: those that the scheduler found none for (B6), those of CapacityBuffers (B65), and those whose
 * node is going (B7).
 */
export function podsToPlace(snapshot: Seen, nodes: readonly StateNode[], nowMs: number): PodsToPlace {
  return podsToPlaceFrom(snapshot, nowMs)(nodes.filter(({ deleting }) => deleting));
}

/** The same for any going nodes. *Cost:* O(pods) once, then O(pods of the going nodes and pods that are pending). */
export function podsToPlaceFrom(snapshot: Seen, nowMs: number): (going: readonly StateNode[]) => PodsToPlace {
  const pending = [...snapshot.pods, ...(snapshot.bufferPods ?? [])].filter(isProvisionable);
  const fixing = snapshot.podDisruptionBudgets.filter(allowsNoEviction);
  /** B7: they need a new place before they are evicted, those aside that will not be. */
  const moves = (pod: Pod): boolean =>
    isReschedulable(pod) && !isKeptInPlace(pod, nowMs) && !fixing.some((budget) => selectsPod(budget, pod));
  return (going) => {
    const pods: Pod[] = [];
    const refused: { readonly pod: Pod; readonly refusal: Refusal }[] = [];
    for (const pod of [...pending, ...going.flatMap((node) => node.pods.filter(moves))]) {
      const refusal = whyIgnored(pod);
      if (refusal === undefined) pods.push(pod);
      else refused.push({ pod, refusal });
    }
    return { pods, refused };
  };
}
