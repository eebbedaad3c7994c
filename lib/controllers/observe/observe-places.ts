import type { Namespace, Pod } from '../../apis/kubernetes.ts';
import { optional } from '../../apis/optional.ts';
import { claimNames } from '../../core/cluster/pod-volumes.ts';
import type { ClusterSnapshot } from '../../core/model/cluster-snapshot.ts';
import { type Observed, readOr } from '../../core/observed.ts';
import type { ClusterReader } from '../../ports/cluster.ts';
import type { Readings } from './readings.ts';

export interface ObservedPlaces extends Pick<ClusterSnapshot, 'storage'> {
  readonly namespaces: Observed<readonly Namespace[]>;
}

/** Namespaces and storage. Storage is read only if a pod has a PersistentVolumeClaim; if it is unread, these pods wait. */
export async function observePlaces(
  cluster: ClusterReader,
  pods: readonly Pod[],
  log: Readings,
): Promise<ObservedPlaces> {
  const namespaces = log.observe('Namespaces', async () => cluster.listNamespaces());
  if (!pods.some((pod) => claimNames(pod).length > 0)) return { namespaces: await namespaces };
  const storage = await log.observe('storage', async () => cluster.readStorage());
  return { namespaces: await namespaces, ...optional({ storage: readOr(storage, undefined) }) };
}
