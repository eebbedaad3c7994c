import type { Namespace, Pod } from '../../apis/kubernetes.ts';
import { optional } from '../../apis/optional.ts';
import { claimNames } from '../../core/cluster/pod-volumes.ts';
import type { ClusterSnapshot } from '../../core/model/cluster-snapshot.ts';
import { type Observed, read, readOr } from '../../core/observed.ts';
import type { ClusterReader } from '../../ports/cluster.ts';
import type { Readings } from './readings.ts';

export interface ObservedPlaces extends Pick<ClusterSnapshot, 'storage'> {
  readonly namespaces: Observed<readonly Namespace[]>;
  /** Whether pods may be placed. Otherwise neither namespaces nor storage are read. */
  readonly isPlacing: boolean;
}

export interface ReadsBeforePlaces {
  readonly pods: Promise<readonly Pod[]>;
  readonly isPlacing: Promise<boolean>;
}

/**
 * Namespaces and storage, read after the pods, because a new pod may be in a new namespace, and beside other lists. Storage is read
 * only if a pod has a PersistentVolumeClaim; if it is unread, these pods wait.
 */
export async function observePlaces(
  cluster: ClusterReader,
  begun: ReadsBeforePlaces,
  log: Readings,
): Promise<ObservedPlaces> {
  const [pods, isPlacing] = await Promise.all([begun.pods, begun.isPlacing]);
  if (!isPlacing) return { namespaces: read([]), isPlacing };
  const hasVolumes = pods.some((pod) => claimNames(pod).length > 0);
  const [namespaces, storage] = await Promise.all([
    log.observe('Namespaces', async () => cluster.listNamespaces()),
    hasVolumes ? log.observe('storage', async () => cluster.readStorage()) : undefined,
  ]);
  return { namespaces, isPlacing, ...optional({ storage: storage && readOr(storage, undefined) }) };
}
