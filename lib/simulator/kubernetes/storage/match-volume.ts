import { unitValue } from '../../../apis/formats/quantity.ts';
import { namespaceOf, type ResourceList, selectorMatches, type VolumeTraits } from '../../../apis/kubernetes.ts';
import { currentLabelName, REGION, ZONE } from '../../../apis/labels.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../apis/storage.ts';
import { compareText } from '../../../core/compare-text.ts';
import { matchesTerm } from '../scheduler/scheduler-filters.ts';
import { type NodeLabels, nodeLabelOf } from '../scheduler/scheduler-node.ts';

/** Which PersistentVolumes a claim can be bound to, and from which nodes a volume can be reached. */

/** VolumeBinding and VolumeZone: whether the node matches the node affinity and the zone labels of the volume. */
export function reachesVolume(node: NodeLabels, { metadata, spec }: PersistentVolume): boolean {
  const required = spec.nodeAffinity?.required;
  if (required !== undefined && !required.nodeSelectorTerms.some((term) => matchesTerm(node, term))) return false;
  return Object.entries(metadata.labels ?? {}).every(([key, value]) => {
    if (![ZONE, REGION].includes(currentLabelName(key))) return true;
    // Several zones are separated by two underscores.
    return value.split('__').includes(nodeLabelOf(node, key) ?? '');
  });
}

/**
 * The volume that a claim without a volume name is bound to: one that is reserved for it, else the smallest that is large enough,
 * ties by name. With a node, only volumes that the node reaches; `taken` are the names of volumes that other claims will get.
 */
export function volumeFor(
  volumes: Iterable<PersistentVolume>,
  claim: PersistentVolumeClaim,
  at: { readonly node?: NodeLabels; readonly taken?: ReadonlySet<string> } = {},
): PersistentVolume | undefined {
  const all = [...volumes].filter(
    (volume) =>
      satisfies(volume, claim) &&
      at.taken?.has(volume.metadata.name) !== true &&
      (at.node === undefined || reachesVolume(at.node, volume)),
  );
  const reserved = all.find(({ spec }) => spec.claimRef !== undefined);
  const [smallest] = all.toSorted(
    (a, b) => storageOf(a.spec.capacity) - storageOf(b.spec.capacity) || compareText(a.metadata.name, b.metadata.name),
  );
  return reserved ?? smallest;
}

/** Whether a claim that names the volume, or that selects it, can be bound to it. */
export function satisfies(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
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

function storageOf(amounts: ResourceList = {}): number {
  return unitValue(amounts['storage'] ?? 0);
}
