import type { Pod } from '../../../apis/kubernetes.ts';
import { type ClaimedVolume, claimedVolumes } from './claimed-volumes.ts';
import type { StorageIndex } from './storage-index.ts';

/** Volumes by the CSI driver that attaches them, each by its claim: a volume that pods share counts once. */
export type Attachments = ReadonlyMap<string, ReadonlySet<string>>;

/** B44: how many volumes of each driver the node can attach; a driver that says nothing has no limit. */
export function attachLimits(nodeName: string, storage: StorageIndex): ReadonlyMap<string, number> {
  const limits = new Map<string, number>();
  for (const { name, allocatable } of storage.csiNodes.get(nodeName)?.spec.drivers ?? []) {
    if (allocatable?.count !== undefined) limits.set(name, allocatable.count);
  }
  return limits;
}

/**
 * B44: what the pod takes of those limits. Good for pods that run already, too: what is wrong with a claim does not matter,
 * and a volume of which no driver is known takes nothing.
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

/** The CSI driver of the volume that is bound, else of the class; undefined where it is neither CSI's nor known. */
export function driverOf({ claim, storageClassName }: ClaimedVolume, storage: StorageIndex): string | undefined {
  const volumeName = claim?.spec.volumeName;
  if (volumeName === undefined || volumeName === '') {
    const provisioner = storage.storageClasses.get(storageClassName ?? '')?.provisioner;
    return provisioner === undefined ? undefined : (CSI_DRIVERS.get(provisioner) ?? provisioner);
  }
  const spec = storage.persistentVolumes.get(volumeName)?.spec;
  return spec?.csi?.driver ?? (spec?.awsElasticBlockStore === undefined ? undefined : EBS_DRIVER);
}

const EBS_DRIVER = 'ebs.csi.aws.com';

/** The drivers that took over from what Kubernetes once had built in. */
const CSI_DRIVERS: ReadonlyMap<string, string> = new Map([
  ['kubernetes.io/aws-ebs', EBS_DRIVER],
  ['kubernetes.io/azure-disk', 'disk.csi.azure.com'],
  ['kubernetes.io/azure-file', 'file.csi.azure.com'],
  ['kubernetes.io/cinder', 'cinder.csi.openstack.org'],
  ['kubernetes.io/gce-pd', 'pd.csi.storage.gke.io'],
  ['kubernetes.io/portworx-volume', 'pxd.portworx.com'],
  ['kubernetes.io/vsphere-volume', 'csi.vsphere.vmware.com'],
]);
