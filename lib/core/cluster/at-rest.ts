import { namespaceOf, type Pod, selectorMatches } from '../../apis/kubernetes.ts';
import { isKeptInPlace, isMadeAgain, isOwnedByDaemonSet, isReschedulable } from './pods.ts';
import type { WorkloadSelector } from './settings.ts';
import type { ClusterSnapshot } from './snapshot.ts';
import type { StateNode } from './state-node.ts';

/** Kerf's own (no row): what a cluster needs once anything runs in it, and not before, holds no node by itself. */

/**
 * Whether a pod can do without a node while nothing else needs one. Not a pod that asks to stay where it is: whoever wrote
 * that meant this very pod. Nor one that would be lost with its node: no pod is to be. Nor a daemon, which waits for nothing.
 */
export function canWait(pod: Pod, ignoreAtZero: readonly WorkloadSelector[], nowMs: number): boolean {
  const isNamed = ignoreAtZero.some(
    ({ namespace = namespaceOf(pod), labels = {} }) =>
      namespace === namespaceOf(pod) && selectorMatches({ matchLabels: labels }, pod.metadata.labels),
  );
  return isNamed && isMadeAgain(pod) && !isOwnedByDaemonSet(pod) && !isKeptInPlace(pod, nowMs);
}

/** Whether no pod runs, on any node of the cluster, but daemons and those that can wait. */
export function runsNothingElse(
  { pods, ignoreAtZero = [] }: Pick<ClusterSnapshot, 'pods' | 'ignoreAtZero'>,
  nowMs: number,
): boolean {
  if (ignoreAtZero.length === 0) return false;
  const running = pods.filter((pod) => pod.spec.nodeName !== undefined && isReschedulable(pod));
  return running.every((pod) => canWait(pod, ignoreAtZero, nowMs));
}

/**
 * The nodes without the pods that hold none: where nothing else runs, nothing else is on its way, and no room is to be kept.
 * *Shape:* all nodes as they are wherever that is not so.
 */
export function withoutWaitingPods(
  nodes: readonly StateNode[],
  snapshot: Pick<ClusterSnapshot, 'pods' | 'bufferPods' | 'nominated' | 'ignoreAtZero'>,
  nowMs: number,
): readonly StateNode[] {
  const { bufferPods = [], nominated, ignoreAtZero = [] } = snapshot;
  const awaited = nominated.length > 0 || bufferPods.length > 0 || nodes.some(isStarting);
  if (awaited || !runsNothingElse(snapshot, nowMs)) return nodes;
  return nodes.map((node) => {
    const pods = node.pods.filter((pod) => !canWait(pod, ignoreAtZero, nowMs));
    return pods.length === node.pods.length ? node : { ...node, pods };
  });
}

/** Made for pods that are not on it yet. */
function isStarting({ nodeClaim, initialized, deleting }: StateNode): boolean {
  return nodeClaim !== undefined && !initialized && !deleting;
}
