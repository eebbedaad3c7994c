import { MINUTE_MS, parseTime } from '../../apis/formats/time.ts';
import type { Pod } from '../../apis/kubernetes.ts';
import { isDrainable, isOwnedByDaemonSet, isTerminating } from '../cluster/pods.ts';

/**
 * D21: the kubelet of a pod is gone if the pod should have terminated a minute ago, by a clock that may be two minutes ahead of that of
 * the API server. A deadline ends the wait earlier, and EC2 the instance that it has interrupted.
 */
const STUCK_MS = 3 * MINUTE_MS;

/** D21: whether a drain waits for the pod. Other pods end together with the node. */
export function isDrained(pod: Pod, nowMs: number): boolean {
  const { deletionTimestamp } = pod.metadata;
  const isStuck = deletionTimestamp !== undefined && nowMs - parseTime(deletionTimestamp) > STUCK_MS;
  return isDrainable(pod) && !isStuck;
}

/** D20: the order is pods, DaemonSet pods, critical pods, critical DaemonSet pods. A tier starts after the previous one is gone. */
export function drainTier(pod: Pod): number {
  const critical = ['system-cluster-critical', 'system-node-critical'].includes(pod.spec.priorityClassName ?? '');
  return (critical ? 2 : 0) + (isOwnedByDaemonSet(pod) ? 1 : 0);
}

/** The pods that a drain evicts now. */
export function firstTier(pods: readonly Pod[]): readonly Pod[] {
  const tiers = Map.groupBy(pods, drainTier);
  return tiers.get(Math.min(...tiers.keys())) ?? [];
}

/**
 * The pods that a drain does not evict now, because it evicts them after a pod that stays. Each tier waits for the earlier ones.
 * @param pods all pods of the node
 * @param stays whether a drain does not evict the pod
 */
export function behindPodsThatStay(
  pods: readonly Pod[],
  { stays, nowMs }: { readonly stays: (pod: Pod) => boolean; readonly nowMs: number },
): readonly Pod[] {
  const held = pods.filter((pod) => !isTerminating(pod) && isDrained(pod, nowMs) && stays(pod));
  const last = Math.min(...held.map(drainTier));
  return pods.filter((pod) => isDrained(pod, nowMs) && drainTier(pod) > last);
}
