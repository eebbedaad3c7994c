import { firstNames } from '../../apis/counted.ts';
import { optional } from '../../apis/optional.ts';
import type { Refusal } from '../model/refusal.ts';
import type { Unplaced } from '../scheduling/schedule.ts';

/** Why a pod has no place: a NodePool refuses it, or without a NodePool the existing nodes or all NodePools. */
export type PodRefusal = Refusal & { readonly nodePool?: string };

/** The refusal of a pod if there is no NodePool. */
export const NO_NODE_POOL: Refusal = {
  reason: 'NoNodePool',
  message: 'there is no NodePool that can launch a node for it',
  numbers: {},
};

/** Why a pod is unschedulable: first the existing nodes, then each NodePool. There is at least one reason. */
export function refusalsOf({ refusals, onNodes }: Unplaced): readonly PodRefusal[] {
  const nodes = onNodes === undefined ? [] : [onNodes];
  if (refusals.length === 0) return [...nodes, NO_NODE_POOL];
  return [...nodes, ...refusals.map(({ nodePool, refusal }) => ({ ...optional({ nodePool }), ...refusal }))];
}

/** Pods with the same reasons. */
export interface RefusedPods<Pod> {
  readonly pods: readonly Pod[];
  readonly reasons: readonly Pick<PodRefusal, 'nodePool' | 'message'>[];
}

/** Groups pods by their reasons. *Shape:* the largest group first; groups of one size, and the pods of a group, in their order. */
export function groupByReasons<Pod>(
  pods: readonly Pod[],
  reasonsOf: (pod: Pod) => RefusedPods<Pod>['reasons'],
): readonly RefusedPods<Pod>[] {
  const groups = new Map<string, { readonly pods: Pod[]; readonly reasons: RefusedPods<Pod>['reasons'] }>();
  for (const pod of pods) {
    const reasons = reasonsOf(pod);
    const key = JSON.stringify(reasons.map(({ nodePool, message }) => [nodePool, message]));
    const group = groups.get(key) ?? { pods: [], reasons };
    group.pods.push(pod);
    groups.set(key, group);
  }
  return [...groups.values()].toSorted((a, b) => b.pods.length - a.pods.length);
}

const MAX_POOLS = 6;

/** `NodePools a, b: needs 9 cpu, …`: one line for each message, with the NodePools that have it. */
export function reasonLines(reasons: RefusedPods<unknown>['reasons']): readonly string[] {
  const byMessage = Map.groupBy(reasons, ({ message }) => message);
  return [...byMessage].map(([message, same]) => {
    const pools = same.flatMap(({ nodePool }) => nodePool ?? []);
    if (pools.length === 0) return message;
    return `NodePool${pools.length === 1 ? '' : 's'} ${firstNames(pools, MAX_POOLS)}: ${message}`;
  });
}
