import type { ClusterManifests } from '../../../apis/cluster-manifests.ts';
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

export function storageState(manifests: ClusterManifests): StorageState {
  const { persistentVolumeClaims, persistentVolumes, storageClasses } = manifests;
  const storage: StorageState = {
    claims: new Map(),
    volumes: new Map(persistentVolumes.map((one) => [one.metadata.name, withUid('PersistentVolume', one)])),
    // The API server sets the default mode.
    classes: new Map(storageClasses.map((one) => [one.metadata.name, { volumeBindingMode: 'Immediate', ...one }])),
    csiNodes: new Map(),
    attachments: new Map(),
    hasGivenClaims: persistentVolumeClaims.length > 0,
    hasGivenClasses: storageClasses.length > 0,
    version: 0,
  };
  for (const claim of persistentVolumeClaims) addVolumeClaim({ storage }, claim);
  return storage;
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
