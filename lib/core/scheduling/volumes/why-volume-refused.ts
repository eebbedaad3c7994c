import { controllerOf, type Pod } from '../../../apis/kubernetes.ts';
import type { PersistentVolumeClaim, StorageClass } from '../../../apis/storage.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { driverOf } from './attach-limits.ts';
import type { ClaimedVolume } from './claimed-volumes.ts';
import type { StorageIndex } from './storage-index.ts';

/** B9: why no node can run the pod because of this volume; undefined if the volume is usable. */
export function whyVolumeRefused(volume: ClaimedVolume, pod: Pod, storage: StorageIndex): Refusal | undefined {
  return (
    whyClaimRefused(volume, pod, storage) ??
    (isBound(volume) ? whyBindingRefused(volume, storage) : whyClassRefused(volume, storage)) ??
    whyDriverRefused(volume, storage)
  );
}

/** Whether the claim names a PersistentVolume. The binding may not be complete yet. */
export function isBound({ claim }: ClaimedVolume): boolean {
  return (claim?.spec.volumeName ?? '') !== '';
}

function whyClaimRefused(volume: ClaimedVolume, pod: Pod, storage: StorageIndex): Refusal | undefined {
  const { claim, claimKey, ephemeral, name } = volume;
  if (!storage.known) {
    return refusal('StorageUnknown', `volume ${name} uses a PersistentVolumeClaim, but storage objects were not read`);
  }
  // B11: the claim of an ephemeral volume is created after the pod.
  if (claim === undefined) {
    const message = `PersistentVolumeClaim ${claimKey} of volume ${name} does not exist: create it`;
    return ephemeral ? undefined : refusal('PersistentVolumeClaimMissing', message);
  }
  if (claim.metadata.deletionTimestamp !== undefined) {
    const message = `PersistentVolumeClaim ${claimKey} is being deleted: create it again after the deletion`;
    return refusal('PersistentVolumeClaimDeleting', message);
  }
  if (claim.status?.phase === 'Lost') {
    const lost = claim.spec.volumeName ?? '';
    const message = `PersistentVolumeClaim ${claimKey} has lost its PersistentVolume ${lost}: restore it, or create the claim again`;
    return refusal('PersistentVolumeClaimLost', message);
  }
  return ephemeral ? whyNotOfPod(claim, claimKey, pod) : undefined;
}

/** As in Kubernetes, an ephemeral volume cannot use a claim of another owner with the same name. */
function whyNotOfPod(claim: PersistentVolumeClaim, key: string, pod: Pod): Refusal | undefined {
  const owner = controllerOf(claim);
  if (owner === undefined || pod.metadata.uid === undefined || owner.uid === pod.metadata.uid) return undefined;
  const whose = `${owner.kind} ${owner.name} (uid ${owner.uid})`;
  return refusal(
    'PersistentVolumeClaimOfAnother',
    `PersistentVolumeClaim ${key} belongs to ${whose}, not to this pod: rename the pod's volume, or delete the claim`,
  );
}

function whyBindingRefused({ claim, claimKey }: ClaimedVolume, storage: StorageIndex): Refusal | undefined {
  const name = claim?.spec.volumeName ?? '';
  const volume = storage.persistentVolumes.get(name);
  if (volume === undefined) {
    const message = `PersistentVolume ${name} of PersistentVolumeClaim ${claimKey} does not exist: restore it, or create the claim again`;
    return refusal('PersistentVolumeMissing', message);
  }
  if (volume.metadata.deletionTimestamp !== undefined) {
    const message = `PersistentVolume ${name} of PersistentVolumeClaim ${claimKey} is being deleted: create the claim again`;
    return refusal('PersistentVolumeDeleting', message);
  }
  if (claim?.metadata.annotations?.[BIND_COMPLETED] !== undefined) return undefined;
  return refusal(
    'PersistentVolumeClaimNotBound',
    `PersistentVolumeClaim ${claimKey} names PersistentVolume ${name}, but is not bound to it yet (no annotation ${BIND_COMPLETED}): ` +
      'the pod can be scheduled after the binding; if it does not complete, compare size, class and access modes of the two',
  );
}

const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';

function whyClassRefused(
  { claimKey, claim, storageClassName = '' }: ClaimedVolume,
  storage: StorageIndex,
): Refusal | undefined {
  if (storageClassName === '') {
    // A default class does not apply to the class "".
    const message =
      claim?.spec.storageClassName === ''
        ? `PersistentVolumeClaim ${claimKey} is not bound, and its storageClassName "" allows only volumes that exist: create a PersistentVolume that matches it`
        : `PersistentVolumeClaim ${claimKey} is not bound and has no StorageClass: set storageClassName, or mark a class as the default`;
    return refusal('StorageClassUnset', message);
  }
  const storageClass = storage.storageClasses.get(storageClassName);
  if (storageClass === undefined) {
    const message = `StorageClass ${storageClassName} of PersistentVolumeClaim ${claimKey} does not exist: create it, or use another class`;
    return refusal('StorageClassMissing', message);
  }
  // The API server sets the default mode. If a snapshot omits it, it does not count as Immediate, as in Karpenter.
  if (storageClass.volumeBindingMode === 'Immediate') {
    return refusal(
      'PersistentVolumeClaimPending',
      `PersistentVolumeClaim ${claimKey} is not bound yet, and StorageClass ${storageClassName} has volumeBindingMode Immediate: ` +
        `check why ${storageClass.provisioner} has not created the volume, or use a class with WaitForFirstConsumer`,
    );
  }
  return whyTopologyRefused(storageClass);
}

function whyTopologyRefused({ metadata, allowedTopologies = [] }: StorageClass): Refusal | undefined {
  const keys = allowedTopologies.flatMap(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.map(({ key }) => key),
  );
  const key = keys.find((one) => UNSUPPORTED_TOPOLOGY_KEYS.has(one));
  if (key === undefined) return undefined;
  return refusal(
    'UnsupportedTopologyKey',
    `StorageClass ${metadata.name} creates volumes only for nodes with ${key}, which only EKS Auto Mode nodes have: use a class of ebs.csi.aws.com`,
  );
}

function whyDriverRefused(volume: ClaimedVolume, storage: StorageIndex): Refusal | undefined {
  const driver = driverOf(volume, storage);
  if (driver === undefined || !UNSUPPORTED_DRIVERS.has(driver)) return undefined;
  return refusal(
    'UnsupportedProvisioner',
    `PersistentVolumeClaim ${volume.claimKey} uses ${driver}, which attaches only to EKS Auto Mode nodes: use a class of ebs.csi.aws.com`,
  );
}

/** Drivers and labels of EKS Auto Mode nodes. Karpenter's lists are empty on AWS, so it launches nodes that cannot run the pod. */
const UNSUPPORTED_DRIVERS: ReadonlySet<string> = new Set(['ebs.csi.eks.amazonaws.com']);
const UNSUPPORTED_TOPOLOGY_KEYS: ReadonlySet<string> = new Set(['eks.amazonaws.com/compute-type']);
