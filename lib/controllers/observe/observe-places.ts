import type { Namespace, Pod } from '../../apis/kubernetes.ts';
import { optional } from '../../apis/optional.ts';
import { claimNames } from '../../core/cluster/pod-volumes.ts';
import { isProvisionable } from '../../core/cluster/pods.ts';
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
 * only if a pod has a PersistentVolumeClaim; if it is unread, these pods wait. VolumeAttachments are read only if such a pod is pending
 * (B44).
 */
export async function observePlaces(
  cluster: ClusterReader,
  begun: ReadsBeforePlaces,
  log: Readings,
): Promise<ObservedPlaces> {
  const [pods, isPlacing] = await Promise.all([begun.pods, begun.isPlacing]);
  if (!isPlacing) return { namespaces: read([]), isPlacing };
  const withVolumes = pods.filter((pod) => claimNames(pod).length > 0);
  const hasVolumes = withVolumes.length > 0;
  const [namespaces, storage, attachments] = await Promise.all([
    log.observe('Namespaces', async () => cluster.listNamespaces()),
    hasVolumes ? log.observe('storage', async () => cluster.readStorage()) : undefined,
    withVolumes.some(isProvisionable)
      ? log.observe('VolumeAttachments', async () => cluster.listVolumeAttachments())
      : undefined,
  ]);
  const known = storage && readOr(storage, undefined);
  const volumeAttachments = attachments && readOr(attachments, undefined);
  return { namespaces, isPlacing, ...(known && { storage: { ...known, ...optional({ volumeAttachments }) } }) };
}
