import type { Pod } from '../../apis/kubernetes.ts';
import { claimNames } from '../../core/cluster/pod-volumes.ts';
import type { ClusterSnapshot } from '../../core/model/cluster-snapshot.ts';
import type { ClusterReader } from '../../ports/cluster.ts';

/** Namespaces and storage. Storage is read only if a pod has a PersistentVolumeClaim. */
export async function observePlaces(
  cluster: ClusterReader,
  pods: readonly Pod[],
): Promise<Pick<ClusterSnapshot, 'namespaces' | 'storage'>> {
  if (!pods.some((pod) => claimNames(pod).length > 0)) return { namespaces: await cluster.listNamespaces() };
  const [namespaces, storage] = await Promise.all([cluster.listNamespaces(), cluster.readStorage()]);
  return { namespaces, storage };
}
