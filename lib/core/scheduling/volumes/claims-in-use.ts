import { type Pod, podKey } from '../../../apis/kubernetes.ts';
import { claimNames } from '../../cluster/pod-volumes.ts';
import { isActive } from '../../cluster/pods.ts';
import { onceFor } from '../../kept-answers.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import type { ClusterIndex } from '../cluster-index.ts';
import type { ExistingHost } from '../placement/existing-host.ts';
import { byAge, type PodGroup } from '../pods/pod-classes.ts';
import type { Unplaced } from '../schedule.ts';
import { type StorageIndex, volumeClaimKey } from './storage-index.ts';

export interface UsableClaims {
  readonly groups: readonly PodGroup[];
  readonly waiting: readonly Unplaced[];
}

/**
 * The pods whose claims with ReadWriteOncePod no other pod uses, and those that wait: the kube-scheduler does not bind a second pod. Of
 * several pods to place with such a claim, one of a node that is removed is the first, then the oldest.
 * *Cost:* O(volumes of the pods); with such claims O(pods of nodes), once for each cluster index.
 */
export function withUsableClaims(
  groups: readonly PodGroup[],
  cluster: ClusterIndex,
  removed: ReadonlySet<ExistingHost>,
): UsableClaims {
  const asking = groups.flatMap(({ pods }) => pods.filter((pod) => exclusiveClaims(pod, cluster.storage).length > 0));
  if (asking.length === 0) return { groups, waiting: [] };
  const usedBy = new Map<string, Pod>();
  for (const { host, pod, claim } of usersOf(cluster)) if (!removed.has(host)) usedBy.set(claim, pod);
  const waiting = new Map<Pod, Unplaced>();
  for (const pod of asking.toSorted(
    (a, b) => Number(a.spec.nodeName === undefined) - Number(b.spec.nodeName === undefined) || byAge(a, b),
  )) {
    const claims = exclusiveClaims(pod, cluster.storage);
    for (const claim of claims) {
      const user = usedBy.get(claim);
      if (user !== undefined) waiting.set(pod, { pod, refusals: [{ refusal: inUse(claim, user) }] });
    }
    if (!waiting.has(pod)) for (const claim of claims) usedBy.set(claim, pod);
  }
  const left = groups.map((group) => ({ ...group, pods: group.pods.filter((pod) => !waiting.has(pod)) }));
  return { groups: left.filter(({ pods }) => pods.length > 0), waiting: [...waiting.values()] };
}

/** The pods on nodes that stay. A pod that is terminating ends before another one could start. */
const usersOf = onceFor(({ hosts, storage }: ClusterIndex) =>
  hosts.flatMap((host) =>
    (host.stateNode.deleting ? [] : host.stateNode.pods.filter(isActive)).flatMap((pod) =>
      exclusiveClaims(pod, storage).map((claim) => ({ host, pod, claim })),
    ),
  ),
);

function exclusiveClaims(pod: Pod, { persistentVolumeClaims }: StorageIndex): readonly string[] {
  return claimNames(pod)
    .map((name) => volumeClaimKey({ ...pod.metadata, name }))
    .filter((key) => persistentVolumeClaims.get(key)?.spec.accessModes?.includes('ReadWriteOncePod'));
}

function inUse(claim: string, user: Pod): Refusal {
  const message = `pod ${podKey(user)} uses PersistentVolumeClaim ${claim} (ReadWriteOncePod): wait until it has ended`;
  return refusal('PersistentVolumeClaimInUse', message);
}
