import type { Pod } from '../../../apis/kubernetes.ts';
import { type ClaimedVolume, claimedVolumes } from './claimed-volumes.ts';
import type { StorageIndex } from './storage-index.ts';

/** Volumes by CSI driver, each identified by its claim, or by its name if no claim is bound to it. A volume that several pods share counts once. */
export type Attachments = ReadonlyMap<string, ReadonlySet<string>>;

/** B44: the maximum number of attached volumes by driver. A driver without a count has no limit. */
export function attachLimits(nodeName: string, storage: StorageIndex): ReadonlyMap<string, number> {
  const limits = new Map<string, number>();
  for (const { name, allocatable } of storage.csiNodes.get(nodeName)?.spec.drivers ?? []) {
    if (allocatable?.count !== undefined) limits.set(name, allocatable.count);
  }
  return limits;
}

/**
 * B44: the volumes of the pod that count against those limits. Also used for running pods: problems of a claim are ignored,
 * and a volume without a known driver does not count.
 */
export function attachments(pod: Pod, storage: StorageIndex): Attachments {
  const byDriver = new Map<string, Set<string>>();
  for (const volume of claimedVolumes(pod, storage)) {
    const driver = driverOf(volume, storage);
    if (driver === undefined) continue;
    const volumes = byDriver.get(driver) ?? new Set();
    byDriver.set(driver, volumes.add(volume.claimKey));
  }
  return byDriver;
}

/**
 * B44: the volumes that are attached to the node, including those of pods that have ended. The kube-scheduler counts a volume until its
 * VolumeAttachment is deleted. *Source:* kubernetes/kubernetes#127757.
 */
export function stillAttached(nodeName: string, storage: StorageIndex): Attachments {
  const byDriver = new Map<string, Set<string>>();
  for (const { spec } of storage.attachmentsByNode.get(nodeName) ?? []) {
    const name = spec.source.persistentVolumeName ?? '';
    const driver = driverOfVolume(name, storage);
    if (driver === undefined) continue;
    const volumes = byDriver.get(driver) ?? new Set();
    // Keys of claims have a slash, and names of volumes have none.
    byDriver.set(driver, volumes.add(storage.claimOfVolume.get(name) ?? name));
  }
  return byDriver;
}

/** The CSI driver of the bound volume, else of the class; undefined if there is no known CSI driver. */
export function driverOf({ claim, storageClassName }: ClaimedVolume, storage: StorageIndex): string | undefined {
  const volumeName = claim?.spec.volumeName;
  if (volumeName === undefined || volumeName === '') {
    const provisioner = storage.storageClasses.get(storageClassName ?? '')?.provisioner;
    return provisioner === undefined ? undefined : (CSI_DRIVERS.get(provisioner) ?? provisioner);
  }
  return driverOfVolume(volumeName, storage);
}

/** The CSI driver of a PersistentVolume, also of an in-tree volume of EBS, which the CSI driver attaches. */
function driverOfVolume(name: string, { persistentVolumes }: StorageIndex): string | undefined {
  const spec = persistentVolumes.get(name)?.spec;
  return spec?.csi?.driver ?? (spec?.awsElasticBlockStore === undefined ? undefined : EBS_DRIVER);
}

export const EBS_DRIVER = 'ebs.csi.aws.com';

/** The CSI drivers that replaced in-tree volume plugins. */
const CSI_DRIVERS: ReadonlyMap<string, string> = new Map([
  ['kubernetes.io/aws-ebs', EBS_DRIVER],
  ['kubernetes.io/azure-disk', 'disk.csi.azure.com'],
  ['kubernetes.io/azure-file', 'file.csi.azure.com'],
  ['kubernetes.io/cinder', 'cinder.csi.openstack.org'],
  ['kubernetes.io/gce-pd', 'pd.csi.storage.gke.io'],
  ['kubernetes.io/portworx-volume', 'pxd.portworx.com'],
  ['kubernetes.io/vsphere-volume', 'csi.vsphere.vmware.com'],
]);
