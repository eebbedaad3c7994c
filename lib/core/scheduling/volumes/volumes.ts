import type { Pod } from '../../../apis/kubernetes.ts';
import { HOSTNAME } from '../../../apis/labels.ts';
import type { PersistentVolume } from '../../../apis/storage.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import {
  formatRequirement,
  merge,
  NO_REQUIREMENTS,
  type Requirements,
  requirementsFromLabels,
} from '../../requirements/requirements.ts';
import { type Attachments, attachments } from './attach-limits.ts';
import { type ClaimedVolume, claimedVolumes } from './claimed-volumes.ts';
import { matchesClaim } from './matches-claim.ts';
import { type Alternatives, crossProduct, MAX_ALTERNATIVES, reduced } from './requirement-alternatives.ts';
import type { StorageIndex } from './storage-index.ts';
import { placesOfVolume } from './volume-places.ts';
import { isBound, whyVolumeRefused } from './why-volume-refused.ts';

/**
 * The requirements of a pod's volumes.
 * B43: they apply to the node only. As requirements of the pod, they would narrow the domains of spread constraints.
 */
export interface VolumeNeeds {
  /** B42: a node must satisfy one of these. Never empty: without requirements, it has one empty set. */
  readonly alternatives: readonly Requirements[];
  /** B44: the volumes to attach, by CSI driver, each by the `namespace/name` of its claim. */
  readonly attachments: Attachments;
}

export type VolumeAnswer =
  | { readonly kind: 'needs'; readonly needs: VolumeNeeds }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/**
 * *Shape:* a refusal if no node can run the pod (B9), or if no node can reach all volumes.
 * *Cost:* O(volumes × terms); combinations are bounded by MAX_ALTERNATIVES.
 */
export function volumeNeeds(pod: Pod, storage: StorageIndex): VolumeAnswer {
  const volumes = claimedVolumes(pod, storage);
  if (volumes.length === 0) return NEEDS_NOTHING;
  for (const volume of volumes) {
    const why = whyVolumeRefused(volume, pod, storage);
    if (why !== undefined) return refused(why);
  }
  const places: PlacedVolume[] = [];
  for (const volume of volumes) {
    const placed = placedVolume(volume, storage);
    if (placed.kind === 'refused') return placed;
    places.push(placed);
  }
  // Volumes with the fewest alternatives first, so that contradictions are found before the combinations multiply.
  return together(
    places.toSorted((a, b) => a.places.length - b.places.length),
    attachments(pod, storage),
  );
}

const NEEDS_NOTHING: VolumeAnswer = {
  kind: 'needs',
  needs: { alternatives: [NO_REQUIREMENTS], attachments: new Map() },
};

interface PlacedVolume {
  readonly kind: 'placed';
  readonly volume: ClaimedVolume;
  readonly places: Alternatives;
}

type Refused = Extract<VolumeAnswer, { readonly kind: 'refused' }>;

function refused(why: Refusal): Refused {
  return { kind: 'refused', refusal: why };
}

function placedVolume(volume: ClaimedVolume, storage: StorageIndex): PlacedVolume | Refused {
  const { claimKey, storageClassName = '' } = volume;
  const existing = existingVolumes(volume, storage);
  if (existing?.length === 0) {
    const message = `no PersistentVolume of StorageClass ${storageClassName} matches PersistentVolumeClaim ${claimKey}: create one`;
    return refused(refusal('PersistentVolumeMissing', message));
  }
  const places =
    existing === undefined ? storage.placesOfClasses.get(storageClassName) : reduced(existing.flatMap(placesOfVolume));
  if (places === undefined) return tooMany([volume]);
  const selected = selectedNode(volume, storage);
  if (places.length === 0) return refused(whyUnreachable(volume, storage));
  return { kind: 'placed', volume, places: selected ? places.map((place) => merge(place, selected)) : places };
}

/**
 * B42: the node for which the volume of an unbound claim is being created. The kube-scheduler binds its pods nowhere else.
 * *Shape:* undefined if there is none, or if the node is gone or goes: then the annotation is removed.
 */
function selectedNode(volume: ClaimedVolume, { hostnames }: StorageIndex): Requirements | undefined {
  const hostname = hostnames.get(volume.claim?.metadata.annotations?.[SELECTED_NODE] ?? '');
  return hostname === undefined || isBound(volume) ? undefined : requirementsFromLabels({ [HOSTNAME]: hostname });
}

const SELECTED_NODE = 'volume.kubernetes.io/selected-node';

/**
 * B42: the volume of the claim; those that an unbound claim can get, if its class creates none.
 * *Shape:* undefined if a new volume can appear: if the class has a provisioner, or has no volumes but those on the disks of nodes, which
 * appear together with new nodes.
 */
function existingVolumes(
  { claim }: ClaimedVolume,
  { storageClasses, persistentVolumes }: StorageIndex,
): readonly PersistentVolume[] | undefined {
  const { volumeName = '', storageClassName = '' } = claim?.spec ?? {};
  const bound = persistentVolumes.get(volumeName);
  if (bound !== undefined) return [bound];
  if (claim === undefined || storageClasses.get(storageClassName)?.provisioner !== NO_PROVISIONER) return undefined;
  const all = [...persistentVolumes.values()].filter(({ spec }) => spec.storageClassName === storageClassName);
  if (all.every(({ spec }) => spec.local ?? spec.hostPath)) return undefined;
  return all.filter((one) => matchesClaim(one, claim));
}

const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

function whyUnreachable(volume: ClaimedVolume, storage: StorageIndex): Refusal {
  const { claim, claimKey, storageClassName = '' } = volume;
  const volumeName = claim?.spec.volumeName ?? '';
  const [what, terms] = isBound(volume)
    ? [
        `nodeAffinity of PersistentVolume ${volumeName}`,
        storage.persistentVolumes.get(volumeName)?.spec.nodeAffinity?.required?.nodeSelectorTerms ?? [],
      ]
    : [
        `allowedTopologies of StorageClass ${storageClassName}`,
        storage.storageClasses.get(storageClassName)?.allowedTopologies ?? [],
      ];
  return refusal(
    'VolumeUnreachable',
    `no new node can reach the volume of PersistentVolumeClaim ${claimKey}: every term of ${what} (${terms.length}) is empty, ` +
      'selects a node by matchFields, or contradicts itself: correct one of them',
    { terms: terms.length },
  );
}

function together(all: readonly PlacedVolume[], attached: Attachments): VolumeAnswer {
  let alternatives: Alternatives = [NO_REQUIREMENTS];
  for (const [index, { places }] of all.entries()) {
    // A single volume keeps the list of its class, so that callers can cache by identity.
    const both = index === 0 ? places : crossProduct(alternatives, places);
    const considered = all.slice(0, index + 1);
    if (both === undefined) return tooMany(considered.map(({ volume }) => volume));
    if (both.length === 0) return refused(whyIncompatible(considered));
    alternatives = both;
  }
  return { kind: 'needs', needs: { alternatives, attachments: attached } };
}

function tooMany(volumes: readonly ClaimedVolume[]): Refused {
  return refused(
    refusal(
      'TooManyVolumeAlternatives',
      `there are more than ${MAX_ALTERNATIVES} combinations of the topologies of ${volumes.map(({ claimKey }) => claimKey).join(', ')}: ` +
        'allow fewer topologies in their StorageClasses, or use fewer volumes in a pod',
      { volumes: volumes.length, allowed: MAX_ALTERNATIVES },
    ),
  );
}

/** Names two volumes that exclude each other, if there are two; else all volumes. */
function whyIncompatible(all: readonly PlacedVolume[]): Refusal {
  const last = all.at(-1);
  const other = all.find(({ places }) => last !== undefined && crossProduct(places, last.places)?.length === 0);
  const named = last === undefined || other === undefined ? all : [other, last];
  const needs = named.map(({ volume, places }) => `${volume.claimKey} requires ${formatPlaces(places)}`).join('; ');
  return refusal(
    'VolumesApart',
    `no node can reach all volumes: ${needs}. Move one of them with a volume snapshot, or split the pod`,
    { volumes: named.length },
  );
}

function formatPlaces(places: Alternatives): string {
  const shown = places.slice(0, MAX_SHOWN).map((place) => {
    const needs = place.values().map((one) => `${one.key} ${formatRequirement(one)}`);
    return [...needs].join(' and ');
  });
  const more = places.length - shown.length;
  return more > 0 ? `${shown.join(' or ')} or ${more} more` : shown.join(' or ');
}

const MAX_SHOWN = 3;
