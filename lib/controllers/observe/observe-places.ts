import type { Pod } from '../../apis/kubernetes.ts';
import type { ClusterSnapshot } from '../../core/model/cluster-snapshot.ts';
import type { ClusterReader } from '../../ports/cluster.ts';

/** What else bears on where pods may go. Storage is read where some pod has a claim on it. */
export async function observePlaces(
  cluster: ClusterReader,
  pods: readonly Pod[],
): Promise<Pick<ClusterSnapshot, 'namespaces' | 'storage'>> {
  if (!pods.some(hasClaim)) return { namespaces: await cluster.listNamespaces() };
  const [namespaces, storage] = await Promise.all([cluster.listNamespaces(), cluster.readStorage()]);
  return { namespaces, storage };
}

function hasClaim({ spec }: Pod): boolean {
  return (spec.volumes ?? []).some(
    (volume) => volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined,
  );
}
