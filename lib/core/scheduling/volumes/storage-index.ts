import type { CsiNode, PersistentVolume, PersistentVolumeClaim, Storage, StorageClass } from '../../../apis/storage.ts';
import { compareText } from '../../compare-text.ts';
import { type Alternatives, reduced } from './requirement-alternatives.ts';
import { placesOfClass } from './volume-places.ts';

/** A cluster's storage by name; claims by `namespace/name`. */
export interface StorageIndex {
  /** False where nobody looked: then a claim that is not found may well exist. */
  readonly known: boolean;
  readonly persistentVolumeClaims: ReadonlyMap<string, PersistentVolumeClaim>;
  readonly persistentVolumes: ReadonlyMap<string, PersistentVolume>;
  readonly storageClasses: ReadonlyMap<string, StorageClass>;
  /** B42: where a volume of each class can be made; undefined where there are too many ways. */
  readonly placesOfClasses: ReadonlyMap<string, Alternatives | undefined>;
  readonly csiNodes: ReadonlyMap<string, CsiNode>;
  /** The name of the class that a claim gets which names none. */
  readonly defaultStorageClass: string | undefined;
}

/** The index of a run. *Cost:* O(objects), once a run. */
export function storageIndex(storage: Storage | undefined): StorageIndex {
  return {
    known: storage !== undefined,
    persistentVolumeClaims: new Map(storage?.persistentVolumeClaims.map((one) => [volumeClaimKey(one.metadata), one])),
    persistentVolumes: byName(storage?.persistentVolumes),
    storageClasses: byName(storage?.storageClasses),
    placesOfClasses: new Map(storage?.storageClasses.map((one) => [one.metadata.name, reduced(placesOfClass(one))])),
    csiNodes: byName(storage?.csiNodes),
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

/** As Kubernetes chooses among several: the newest, ties by name. */
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
