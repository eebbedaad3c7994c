import { HOSTNAME } from '../../../apis/labels.ts';
import type {
  CsiNode,
  PersistentVolume,
  PersistentVolumeClaim,
  Storage,
  StorageClass,
  VolumeAttachment,
} from '../../../apis/storage.ts';
import type { StateNode } from '../../cluster/state-node.ts';
import { compareText } from '../../compare-text.ts';
import { type Alternatives, reduced } from './requirement-alternatives.ts';
import { placesOfClass } from './volume-places.ts';

/** The storage objects of a cluster by name; claims by `namespace/name`. */
export interface StorageIndex {
  /** False if storage objects were not read: then a missing claim may exist. */
  readonly known: boolean;
  readonly persistentVolumeClaims: ReadonlyMap<string, PersistentVolumeClaim>;
  readonly persistentVolumes: ReadonlyMap<string, PersistentVolume>;
  /** The key of the claim that is bound to a volume, by the name of the volume. */
  readonly claimOfVolume: ReadonlyMap<string, string>;
  readonly storageClasses: ReadonlyMap<string, StorageClass>;
  /** B42: the requirements of a new volume of each class; undefined if there are too many alternatives. */
  readonly placesOfClasses: ReadonlyMap<string, Alternatives | undefined>;
  readonly csiNodes: ReadonlyMap<string, CsiNode>;
  readonly attachmentsByNode: ReadonlyMap<string, readonly VolumeAttachment[]>;
  /** The value of the hostname label of each node that exists and stays, by its name. */
  readonly hostnames: ReadonlyMap<string, string>;
  /** The name of the default class, for claims without a class. */
  readonly defaultStorageClass: string | undefined;
}

/** *Cost:* O(objects + nodes). */
export function storageIndex(storage: Storage | undefined, stateNodes: readonly StateNode[] = []): StorageIndex {
  return {
    known: storage !== undefined,
    persistentVolumeClaims: new Map(storage?.persistentVolumeClaims.map((one) => [volumeClaimKey(one.metadata), one])),
    persistentVolumes: byName(storage?.persistentVolumes),
    claimOfVolume: new Map(
      storage?.persistentVolumeClaims.map(({ metadata, spec }) => [spec.volumeName ?? '', volumeClaimKey(metadata)]),
    ),
    storageClasses: byName(storage?.storageClasses),
    placesOfClasses: new Map(storage?.storageClasses.map((one) => [one.metadata.name, reduced(placesOfClass(one))])),
    csiNodes: byName(storage?.csiNodes),
    attachmentsByNode: Map.groupBy(storage?.volumeAttachments ?? [], ({ spec }) => spec.nodeName),
    hostnames: new Map(
      stateNodes.flatMap(({ name, node, deleting, labels }) =>
        node === undefined || deleting ? [] : [[name, labels[HOSTNAME] ?? name]],
      ),
    ),
    defaultStorageClass: defaultStorageClass(storage?.storageClasses ?? []),
  };
}

/** `namespace/name` of a PersistentVolumeClaim. */
export function volumeClaimKey({
  namespace = 'default',
  name,
}: {
  readonly namespace?: string;
  readonly name: string;
}): string {
  return `${namespace}/${name}`;
}

function byName<T extends { readonly metadata: { readonly name: string } }>(all: readonly T[] = []): Map<string, T> {
  return new Map(all.map((one) => [one.metadata.name, one]));
}

/** If there are several, the newest, as in Kubernetes; ties by name. */
function defaultStorageClass(classes: readonly StorageClass[]): string | undefined {
  const [first] = classes
    .filter(isDefault)
    .map(({ metadata }) => metadata)
    .toSorted((a, b) => compareText(b.creationTimestamp, a.creationTimestamp) || compareText(a.name, b.name));
  return first?.name;
}

function isDefault({ metadata }: StorageClass): boolean {
  return metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true';
}
