import type { Pod } from '../../apis/kubernetes.ts';
import { optional } from '../../apis/optional.ts';
import { claimNames } from '../../core/cluster/pod-volumes.ts';
import type { ClusterSnapshot } from '../../core/model/cluster-snapshot.ts';
import { readOr } from '../../core/observed.ts';
import type { ClusterReader } from '../../ports/cluster.ts';
import type { Readings } from './readings.ts';

/** Namespaces and storage. Storage is read only if a pod has a PersistentVolumeClaim; if it is unread, these pods wait. */
export async function observePlaces(
  cluster: ClusterReader,
  pods: readonly Pod[],
  log: Readings,
): Promise<Pick<ClusterSnapshot, 'namespaces' | 'storage'>> {
  if (!pods.some((pod) => claimNames(pod).length > 0)) return { namespaces: await cluster.listNamespaces() };
  const [namespaces, storage] = await Promise.all([
    cluster.listNamespaces(),
    log.observe('storage', async () => cluster.readStorage()),
  ]);
  return { namespaces, ...optional({ storage: readOr(storage, undefined) }) };
}
