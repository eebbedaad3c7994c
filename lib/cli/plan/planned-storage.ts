import type { Pod } from '../../apis/kubernetes.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import type { PersistentVolumeClaim, Storage } from '../../apis/storage.ts';
import type { InstanceType } from '../../core/model/instance-type.ts';
import { type ClaimWorld, createClaims } from '../../simulator/kubernetes/storage/pod-claims.ts';
import {
  addVolumeClaim,
  type StorageManifests,
  storageObjects,
  storageState,
} from '../../simulator/kubernetes/storage/storage-state.ts';
import { bindClaims } from '../../simulator/kubernetes/storage/volume-controller.ts';
import { zoneTurns } from '../../simulator/kubernetes/storage/zone-turns.ts';
import { remarks } from '../../simulator/remarks.ts';

export interface GivenStorage extends StorageManifests {
  /** The pods that the plan adds, and the claims of those of StatefulSets. */
  readonly pods: readonly Pod[];
  readonly podClaims: readonly PersistentVolumeClaim[];
}

export interface StorageWorld {
  /** True without a snapshot. */
  readonly isWholeCluster: boolean;
  /** The storage of the snapshot; undefined if it was not read. */
  readonly before: Storage | undefined;
  readonly nodePools: readonly NodePool[];
  readonly instanceTypes: readonly InstanceType[];
}

/** The storage of a cluster without storage objects. */
export const NO_STORAGE: Storage = {
  persistentVolumeClaims: [],
  persistentVolumes: [],
  storageClasses: [],
  csiNodes: [],
};

/**
 * The storage of a cluster after its API server and its volume controllers have seen the manifests, by the code of simulations: claims
 * of new pods exist, and claims that do not wait for a node are bound. Claims of the snapshot stay as they are, unless the manifests
 * have their class or volumes of it. *Shape:* the storage, and one sentence for each assumption; no storage if neither the snapshot nor
 * the manifests have any.
 */
export function plannedStorage(
  given: GivenStorage,
  { isWholeCluster, before, nodePools, instanceTypes }: StorageWorld,
): { readonly storage?: Storage; readonly assumptions: readonly string[] } {
  const { persistentVolumeClaims, persistentVolumes, storageClasses } = given;
  const isGiven = persistentVolumeClaims.length + persistentVolumes.length + storageClasses.length > 0;
  if (!isWholeCluster && before === undefined && !isGiven) return { assumptions: [] };
  const noted = remarks();
  const storage = storageState(given, isWholeCluster ? undefined : (before ?? NO_STORAGE));
  const world: ClaimWorld = { storage, onAssumption: (text, subject) => noted.add(text, subject) };
  for (const claim of given.podClaims) addVolumeClaim(world, claim);
  for (const pod of given.pods) createClaims(world, pod);
  const zones = new Set(instanceTypes.flatMap(({ offerings }) => offerings.map(({ zone }) => zone)));
  const zoneFor = zoneTurns({ nodePools: new Map(nodePools.map((one) => [one.metadata.name, one])) }, [...zones]);
  const known = new Set(before?.persistentVolumeClaims);
  const classes = new Set([
    ...storageClasses.map(({ metadata }) => metadata.name),
    ...persistentVolumes.map(({ spec }) => spec.storageClassName ?? ''),
  ]);
  const changed = storage.claims
    .values()
    .filter((claim) => !known.has(claim) || classes.has(claim.spec.storageClassName ?? ''));
  bindClaims(world, [...changed], zoneFor);
  return { storage: storageObjects(storage), assumptions: noted.lines() };
}
