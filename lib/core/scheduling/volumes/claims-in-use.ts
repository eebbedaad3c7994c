import { type Pod, podKey } from '../../../apis/kubernetes.ts';
import type { PersistentVolumeClaim } from '../../../apis/storage.ts';
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
  /** The keys of the pods to place for which others wait. */
  readonly awaited: ReadonlySet<string>;
}

/**
 * The pods whose claims with ReadWriteOncePod no other pod uses, and those that wait: the kube-scheduler does not bind a second pod. Of
 * several pods to place with such a claim, one of a node that is removed is the first, then the oldest.
 * @param impossible the keys of pods that could not be placed. They come last, because the kube-scheduler counts only pods on nodes
 * *Cost:* nothing if the cluster has no such claims; otherwise O(volumes of the pods), and O(pods of nodes) once for each cluster index.
 */
export function withUsableClaims(
  groups: readonly PodGroup[],
  cluster: ClusterIndex,
  { removed, impossible }: { readonly removed: ReadonlySet<ExistingHost>; readonly impossible: ReadonlySet<string> },
): UsableClaims {
  if (!hasExclusive(cluster.storage)) return { groups, waiting: [], awaited: new Set() };
  const asking = groups.flatMap(({ pods }) => pods.filter((pod) => exclusiveClaims(pod, cluster.storage).length > 0));
  const usedBy = new Map<string, Pod>();
  for (const { host, pod, claim } of usersOf(cluster)) if (!removed.has(host)) usedBy.set(claim, pod);
  const waiting = new Map<Pod, Unplaced>();
  const awaited = new Set<string>();
  const rank = (pod: Pod): number => (impossible.has(podKey(pod)) ? 2 : Number(pod.spec.nodeName === undefined));
  for (const pod of asking.toSorted((a, b) => rank(a) - rank(b) || byAge(a, b))) {
    const claims = exclusiveClaims(pod, cluster.storage);
    for (const claim of claims) {
      const user = usedBy.get(claim);
      if (user === undefined) continue;
      waiting.set(pod, { pod, refusals: [{ refusal: inUse(claim, user) }] });
      awaited.add(podKey(user));
    }
    if (!waiting.has(pod)) for (const claim of claims) usedBy.set(claim, pod);
  }
  const left = groups.map((group) => ({ ...group, pods: group.pods.filter((pod) => !waiting.has(pod)) }));
  return { groups: left.filter(({ pods }) => pods.length > 0), waiting: [...waiting.values()], awaited };
}

/** The pods on nodes that stay. A pod that is terminating ends before another one could start. */
const usersOf = onceFor(({ hosts, storage }: ClusterIndex) =>
  hosts.flatMap((host) =>
    (host.stateNode.deleting ? [] : host.stateNode.pods.filter(isActive)).flatMap((pod) =>
      exclusiveClaims(pod, storage).map((claim) => ({ host, pod, claim })),
    ),
  ),
);

/** Most clusters have no such claim, and every question of disruption asks. */
const hasExclusive = onceFor(({ persistentVolumeClaims }: StorageIndex) =>
  persistentVolumeClaims.values().some(isExclusive),
);

function exclusiveClaims(pod: Pod, { persistentVolumeClaims }: StorageIndex): readonly string[] {
  return claimNames(pod)
    .map((name) => volumeClaimKey({ ...pod.metadata, name }))
    .filter((key) => isExclusive(persistentVolumeClaims.get(key)));
}

function isExclusive(claim: PersistentVolumeClaim | undefined): boolean | undefined {
  return claim?.spec.accessModes?.includes('ReadWriteOncePod');
}

function inUse(claim: string, user: Pod): Refusal {
  const uses = user.spec.nodeName === undefined ? 'is placed first with' : 'uses';
  const message = `pod ${podKey(user)} ${uses} PersistentVolumeClaim ${claim} (ReadWriteOncePod): wait until it has ended`;
  return refusal('PersistentVolumeClaimInUse', message);
}
