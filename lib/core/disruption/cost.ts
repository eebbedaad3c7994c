import { parseNillableDuration } from '../../apis/formats/duration.ts';
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

/** The eviction costs of the pods of a node. */
export const evictionsCost: (stateNode: StateNode) => number = onceFor((stateNode: StateNode) =>
  stateNode.pods.filter(isReschedulable).reduce((sum, pod) => sum + Math.max(0, evictionCost(pod)), 0),
);

/** E15: 1 plus the eviction costs of the pods; a node without pods to evict costs 1. */
export function rescheduleCost(stateNode: StateNode): number {
  return 1 + evictionsCost(stateNode);
}

/** E11: the node has no pods that need another node. */
export function isEmptyNode(stateNode: StateNode): boolean {
  return evictionsCost(stateNode) <= 0;
}

/** *Units:* USD per hour. */
export function priceOf(nodes: readonly { readonly priceUsdPerHour: number }[]): number {
  return nodes.reduce((sum, { priceUsdPerHour }) => sum + priceUsdPerHour, 0);
}

/** E17: the price of a node for each unit of its rescheduling cost. Nodes with a higher ratio are disrupted first. */
export function savingsRatio(one: { readonly stateNode: StateNode; readonly priceUsdPerHour: number }): number {
  return one.priceUsdPerHour / rescheduleCost(one.stateNode);
}

/**
 * E16: the eviction costs of the pods, times the remaining part of the lifetime of the node: 1 for a new node or without expiry, and 0
 * after it.
 */
export function disruptionCost({ pods, nodeClaim }: StateNode, nowMs: number): number {
  const costs = pods.reduce((sum, pod) => sum + evictionCost(pod), 0);
  const lifetimeMs = nodeClaim && parseNillableDuration(nodeClaim.spec.expireAfter);
  if (nodeClaim === undefined || lifetimeMs === undefined || lifetimeMs === 0) return costs;
  return costs * Math.min(1, Math.max(0, 1 - (nowMs - nodeClaim.createdAtMs) / lifetimeMs));
}
