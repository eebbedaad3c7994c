import type { ClusterManifests } from '../../../apis/cluster-manifests.ts';
import { optional } from '../../../apis/optional.ts';
import type {
  CsiNode,
  PersistentVolume,
  PersistentVolumeClaim,
  Storage,
  StorageClass,
  VolumeAttachment,
} from '../../../apis/storage.ts';
import { compareText } from '../../../core/compare-text.ts';
import { objectKeyOf, uidOf } from '../objects.ts';

/** The storage objects of the API server; claims by `namespace/name`, the others by name. */
export interface StorageState {
  readonly claims: Map<string, PersistentVolumeClaim>;
  readonly volumes: Map<string, PersistentVolume>;
  readonly classes: Map<string, StorageClass>;
  readonly csiNodes: Map<string, CsiNode>;
  readonly attachments: Map<string, VolumeAttachment>;
  /** Whether the manifests have claims. If they have none, the claims that pods name are made up. */
  readonly hasGivenClaims: boolean;
  /** Whether the manifests have classes. If they have none, the classes that claims name are made up. */
  readonly hasGivenClasses: boolean;
  /** Increases with every change that can affect where a pod fits. */
  version: number;
}

export type StorageManifests = Pick<
  ClusterManifests,
  'persistentVolumeClaims' | 'persistentVolumes' | 'storageClasses'
>;

/**
 * Creates the objects of the manifests in a cluster that has the storage `before`: they replace objects of the same name, but a bound
 * claim keeps its volume. Without `before`, the manifests are the whole cluster.
 */
export function storageState(manifests: StorageManifests, before?: Storage): StorageState {
  const { persistentVolumeClaims, persistentVolumes, storageClasses } = manifests;
  const volumes = new Map(before?.persistentVolumes.map((one) => [one.metadata.name, one]));
  const storage: StorageState = {
    claims: new Map(before?.persistentVolumeClaims.map((one) => [objectKeyOf(one), one])),
    volumes,
    classes: new Map(before?.storageClasses.map((one) => [one.metadata.name, one])),
    csiNodes: new Map(before?.csiNodes.map((one) => [one.metadata.name, one])),
    attachments: new Map(),
    hasGivenClaims: before !== undefined || persistentVolumeClaims.length > 0,
    hasGivenClasses: before !== undefined || storageClasses.length > 0,
    version: 0,
  };
  for (const one of persistentVolumes)
    volumes.set(one.metadata.name, withUid('PersistentVolume', keptByClaim(one, volumes.get(one.metadata.name))));
  // The API server sets the default mode.
  for (const one of storageClasses) storage.classes.set(one.metadata.name, { volumeBindingMode: 'Immediate', ...one });
  for (const claim of persistentVolumeClaims) {
    if (!keepsVolume(storage.claims.get(objectKeyOf(claim)), claim)) storage.claims.delete(objectKeyOf(claim));
    addVolumeClaim({ storage }, claim);
  }
  return storage;
}

/** The volume, reserved for the claim that its earlier version is bound to. */
function keptByClaim({ metadata, spec }: PersistentVolume, before: PersistentVolume | undefined): PersistentVolume {
  const [uid, claimRef] = [metadata.uid ?? before?.metadata.uid, spec.claimRef ?? before?.spec.claimRef];
  return { metadata: { ...metadata, ...optional({ uid }) }, spec: { ...spec, ...optional({ claimRef }) } };
}

/** Whether a claim is bound to a volume, and its new manifest names no other one. */
function keepsVolume(before: PersistentVolumeClaim | undefined, { spec }: PersistentVolumeClaim): boolean {
  const bound = before?.spec.volumeName;
  return bound !== undefined && (spec.volumeName ?? bound) === bound;
}

/** What the API server lists. */
export function storageObjects({ claims, volumes, classes, csiNodes }: StorageState): Storage {
  return {
    persistentVolumeClaims: [...claims.values()],
    persistentVolumes: [...volumes.values()],
    storageClasses: [...classes.values()],
    csiNodes: [...csiNodes.values()],
  };
}

/**
 * Creates a PersistentVolumeClaim, unless one of its name exists. A claim without a class gets the default class. The controllers
 * of the cluster bind it when the API server reports the next change.
 */
export function addVolumeClaim({ storage }: { readonly storage: StorageState }, claim: PersistentVolumeClaim): void {
  const key = objectKeyOf(claim);
  if (storage.claims.has(key)) return;
  const storageClassName = claim.spec.storageClassName ?? defaultClass(storage);
  const spec = storageClassName === undefined ? claim.spec : { ...claim.spec, storageClassName };
  storage.claims.set(key, { status: { phase: 'Pending' }, ...withUid('PersistentVolumeClaim', claim), spec });
  storage.version += 1;
}

/** Of several default classes, the newest, as in Kubernetes; ties by name. */
function defaultClass({ classes }: StorageState): string | undefined {
  const [first] = [...classes.values()]
    .filter(({ metadata }) => metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true')
    .map(({ metadata }) => metadata)
    .toSorted((a, b) => compareText(b.creationTimestamp, a.creationTimestamp) || compareText(a.name, b.name));
  return first?.name;
}

function withUid<One extends PersistentVolume | PersistentVolumeClaim>(kind: string, object: One): One {
  return { ...object, metadata: { ...object.metadata, uid: object.metadata.uid ?? uidOf(kind, object) } };
}
