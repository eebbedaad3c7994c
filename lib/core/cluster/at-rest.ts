import { MINUTE_MS, parseTime } from '../../apis/formats/time.ts';
import { namespaceOf, type Pod, selectorMatches } from '../../apis/kubernetes.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { WorkloadSelector } from '../model/settings.ts';
import { isKeptInPlace, isMadeAgain, isOwnedByDaemonSet, isReschedulable } from './pods.ts';
import type { StateNode } from './state-node.ts';

/** Scale to zero, which Karpenter does not have: pods that `ignoreAtZero` selects do not keep a node on their own. */

/**
 * Whether a pod may stay pending while nothing else needs a node. False for a pod with do-not-disrupt, for a pod that no
 * controller would create again, and for a pod of a DaemonSet.
 */
export function canWait(pod: Pod, ignoreAtZero: readonly WorkloadSelector[], nowMs: number): boolean {
  const isNamed = ignoreAtZero.some(
    ({ namespace = namespaceOf(pod), labels = {} }) =>
      namespace === namespaceOf(pod) && selectorMatches({ matchLabels: labels }, pod.metadata.labels),
  );
  return isNamed && isMadeAgain(pod) && !isOwnedByDaemonSet(pod) && !isKeptInPlace(pod, nowMs);
}

/** Whether the only running pods of the cluster are those of DaemonSets and those that can wait. */
export function runsNothingElse(
  { pods, ignoreAtZero = [] }: Pick<ClusterSnapshot, 'pods' | 'ignoreAtZero'>,
  nowMs: number,
): boolean {
  if (ignoreAtZero.length === 0) return false;
  const isOther = (pod: Pod): boolean =>
    pod.spec.nodeName !== undefined && isReschedulable(pod) && !canWait(pod, ignoreAtZero, nowMs);
  return !pods.some(isOther);
}

/**
 * A new pod gets a node or a NodeClaim within this time. A pod that waits longer has no NodePool that may launch a node for it,
 * and must not keep the last node forever.
 */
const PLACED_WITHIN_MS = 2 * MINUTE_MS;

/**
 * Whether nothing else runs, and no other pod has just been created. A new pod needs a node, and then the pods that can wait are
 * evicted as usual, by their PodDisruptionBudgets.
 */
export function isAtRest(snapshot: Pick<ClusterSnapshot, 'pods' | 'ignoreAtZero'>, nowMs: number): boolean {
  const { pods, ignoreAtZero = [] } = snapshot;
  const isComing = (pod: Pod): boolean =>
    pod.spec.nodeName === undefined && isReschedulable(pod) && isNew(pod, nowMs) && !canWait(pod, ignoreAtZero, nowMs);
  return runsNothingElse(snapshot, nowMs) && !pods.some(isComing);
}

/** A pod without a creationTimestamp, from a file, is not new. */
function isNew({ metadata: { creationTimestamp } }: Pod, nowMs: number): boolean {
  return creationTimestamp !== undefined && nowMs < parseTime(creationTimestamp) + PLACED_WITHIN_MS;
}

/**
 * Removes the pods that can wait from the nodes, if nothing else runs, no node is starting or nominated, and no buffer
 * reserves capacity. *Shape:* otherwise `nodes` itself.
 */
export function withoutWaitingPods(
  nodes: readonly StateNode[],
  snapshot: Pick<ClusterSnapshot, 'pods' | 'bufferPods' | 'nominated' | 'ignoreAtZero'>,
  nowMs: number,
): readonly StateNode[] {
  const { bufferPods = [], nominated, ignoreAtZero = [] } = snapshot;
  const isNeeded = nominated.length > 0 || bufferPods.length > 0 || nodes.some(isStarting);
  if (isNeeded || !isAtRest(snapshot, nowMs)) return nodes;
  return nodes.map((node) => {
    const pods = node.pods.filter((pod) => !canWait(pod, ignoreAtZero, nowMs));
    return pods.length === node.pods.length ? node : { ...node, pods };
  });
}

/** A starting node was launched for pods that are not bound to it yet. */
function isStarting({ nodeClaim, initialized, deleting }: StateNode): boolean {
  return nodeClaim !== undefined && !initialized && !deleting;
}
