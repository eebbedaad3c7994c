import { SECOND_MS, timeIn } from '../../../apis/formats/time.ts';
import type { Pod } from '../../../apis/kubernetes.ts';
import { deletedAtMs, isActive, isProvisionable, isTerminating } from '../../cluster/pods.ts';

/** The ReplicaSet and the scheduler need less time to create the new pod, and to find no node for it. Times have whole seconds. */
const REPLACED_WITHIN_MS = 2 * SECOND_MS;

/**
 * B7: pods that were evicted a moment ago, each for the pod that its ReplicaSet has not created yet, or that the scheduler has not
 * processed. Without them, a run during an eviction round would launch a node for a part of the pods. *Shape:* empty without such
 * pods. *Cost:* O(pods) if a pod of the nodes was evicted a moment ago.
 */
export function awaitedPods(onNodes: readonly Pod[], all: readonly Pod[], nowMs: number): readonly Pod[] {
  const evicted = onNodes.filter((pod) => isTerminating(pod) && nowMs - evictedAtMs(pod) < REPLACED_WITHIN_MS);
  return [...Map.groupBy(evicted, replicaSetOf)].flatMap(([replicaSet, mine]) => {
    if (replicaSet === undefined) return [];
    const fromMs = Math.floor(Math.min(...mine.map(evictedAtMs)) / SECOND_MS) * SECOND_MS;
    const replaced = all.filter(
      (pod) =>
        replicaSetOf(pod) === replicaSet &&
        isActive(pod) &&
        (timeIn(pod.metadata.creationTimestamp) ?? Infinity) >= fromMs &&
        (pod.spec.nodeName !== undefined || isProvisionable(pod)),
    );
    return mine.slice(replaced.length);
  });
}

function evictedAtMs(pod: Pod): number {
  return deletedAtMs(pod) ?? -Infinity;
}

function replicaSetOf({ metadata }: Pod): string | undefined {
  return metadata.ownerReferences?.find(({ kind, controller }) => kind === 'ReplicaSet' && controller === true)?.uid;
}
