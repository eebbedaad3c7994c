import { currentLabelName, REGION, ZONE } from '../../../apis/labels.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../apis/storage.ts';
import { compareText } from '../../../core/compare-text.ts';
import { matchesClaim, storageOf } from '../../../core/scheduling/volumes/matches-claim.ts';
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
      matchesClaim(volume, claim) &&
      at.taken?.has(volume.metadata.name) !== true &&
      (at.node === undefined || reachesVolume(at.node, volume)),
  );
  const reserved = all.find(({ spec }) => spec.claimRef !== undefined);
  const [smallest] = all.toSorted(
    (a, b) => storageOf(a.spec.capacity) - storageOf(b.spec.capacity) || compareText(a.metadata.name, b.metadata.name),
  );
  return reserved ?? smallest;
}
