import { unitValue } from '../../../apis/formats/quantity.ts';
import { namespaceOf, type ResourceList, selectorMatches, type VolumeTraits } from '../../../apis/kubernetes.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../apis/storage.ts';

/** Whether a claim that names the volume, or that selects it, can be bound to it. */
export function matchesClaim(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { selector, resources } = claim.spec;
  return (
    volume.metadata.deletionTimestamp === undefined &&
    isFreeFor(volume, claim) &&
    (volume.spec.storageClassName ?? '') === (claim.spec.storageClassName ?? '') &&
    storageOf(volume.spec.capacity) >= storageOf(resources?.requests) &&
    hasTraits(volume.spec, claim.spec) &&
    (selector === undefined || selectorMatches(selector, volume.metadata.labels))
  );
}

/** A volume that was bound to another claim stays reserved for it. */
function isFreeFor({ spec: { claimRef } }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  if (claimRef === undefined) return true;
  const { namespace = 'default', name, uid = claim.metadata.uid } = claimRef;
  return namespace === namespaceOf(claim) && name === claim.metadata.name && uid === claim.metadata.uid;
}

function hasTraits(volume: VolumeTraits, claim: VolumeTraits): boolean {
  const { accessModes = [], volumeMode = 'Filesystem' } = volume;
  return (
    volumeMode === (claim.volumeMode ?? 'Filesystem') &&
    (claim.accessModes ?? []).every((mode) => accessModes.includes(mode))
  );
}

/** The size of a volume, or the size that a claim requests. *Units:* bytes. */
export function storageOf(amounts: ResourceList = {}): number {
  return unitValue(amounts['storage'] ?? 0);
}
