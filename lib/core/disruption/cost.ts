import type { Pod } from '../../apis/kubernetes.ts';
import { POD_DELETION_COST } from '../../apis/labels.ts';
import { isReschedulable } from '../cluster/pods.ts';
import type { StateNode } from '../cluster/state-node.ts';
import { onceFor } from '../kept-answers.ts';

/** E14: the cost of evicting a pod, from −10 to 10; 1 for a pod without priority or deletion cost. @internal */
export function evictionCost(pod: Pod): number {
  const deletionCost = Number(pod.metadata.annotations?.[POD_DELETION_COST] ?? 0);
  const cost = 1 + (Number.isFinite(deletionCost) ? deletionCost : 0) / 2 ** 27 + (pod.spec.priority ?? 0) / 2 ** 25;
  return Math.min(10, Math.max(-10, cost));
}

/** E15: 1 plus the eviction costs of the pods; a node without pods to evict costs 1. @internal */
export function rescheduleCost(stateNode: StateNode): number {
  return stateNode.pods.filter(isReschedulable).reduce((sum, pod) => sum + Math.max(0, evictionCost(pod)), 1);
}

/** E11: the node has no pods that need another node. */
export const isEmptyNode: (stateNode: StateNode) => boolean = onceFor(
  (stateNode: StateNode) => rescheduleCost(stateNode) <= 1,
);
