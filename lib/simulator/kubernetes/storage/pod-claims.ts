import { namespaceOf, type Pod, podKey } from '../../../apis/kubernetes.ts';
import { optional } from '../../../apis/optional.ts';
import type { PersistentVolumeClaim, StorageClass } from '../../../apis/storage.ts';
import { claimName, claimNames } from '../../../core/cluster/pod-volumes.ts';
import { objectKeyOf } from '../objects.ts';
import type { KubernetesState } from '../state.ts';
import { addVolumeClaim, type StorageState } from './storage-state.ts';

/** The claims that pods need: those of ephemeral volumes, and stand-ins for objects that the manifests leave out. */

/** Where claims are created. */
export type ClaimWorld = Pick<KubernetesState, 'storage' | 'onAssumption'>;

/** The class of claims without a class, if the manifests have no StorageClass. */
const STAND_IN_CLASS = 'simulated';

/** Creates the claims of the ephemeral volumes of the pod. Without claims in the manifests, also those that the pod names. */
export function createClaims(state: ClaimWorld, pod: Pod): void {
  const { storage } = state;
  const namespace = namespaceOf(pod);
  for (const volume of pod.spec.volumes ?? []) {
    const name = claimName(pod, volume);
    if (name === undefined || storage.claims.has(`${namespace}/${name}`)) continue;
    if (volume.ephemeral !== undefined) {
      const { metadata, spec = {} } = volume.ephemeral.volumeClaimTemplate ?? {};
      const owner = { apiVersion: 'v1', kind: 'Pod', name: pod.metadata.name, uid: pod.metadata.uid ?? '' };
      const ownerReferences = [{ ...owner, controller: true, blockOwnerDeletion: true }];
      addVolumeClaim(state, { metadata: { ...metadata, name, namespace, ownerReferences }, spec });
    } else if (!storage.hasGivenClaims) {
      state.onAssumption(
        'no file has a PersistentVolumeClaim: a claim of the default class stands in, bound to a new volume in the zone of its first pod',
        `PersistentVolumeClaim ${namespace}/${name}`,
      );
      addVolumeClaim(state, { metadata: { name, namespace }, spec: {} });
    }
  }
}

/** Deletes the claims that the deleted pod owned, with their volumes if the reclaim policy is Delete. */
export function deleteClaims({ storage }: KubernetesState, pod: Pod): void {
  for (const name of claimNames(pod)) {
    const claim = storage.claims.get(`${namespaceOf(pod)}/${name}`);
    const isOwned = claim?.metadata.ownerReferences?.some(({ uid }) => uid === pod.metadata.uid) === true;
    if (claim === undefined || !isOwned) continue;
    storage.claims.delete(podKey(claim));
    const volume = storage.volumes.get(claim.spec.volumeName ?? '');
    if (volume?.spec.persistentVolumeReclaimPolicy === 'Delete') storage.volumes.delete(volume.metadata.name);
    storage.version += 1;
  }
}

/**
 * Without a StorageClass in the manifests, the class of the claim is made up, unless a given volume has this class: then the claim
 * can be bound to it. *Shape:* the claim, with a class if it had none.
 */
export function standInForClass(state: ClaimWorld, claim: PersistentVolumeClaim): PersistentVolumeClaim {
  const { storage } = state;
  const { storageClassName = STAND_IN_CLASS, volumeName } = claim.spec;
  const needsNone = storage.hasGivenClasses || storageClassName === '' || volumeName !== undefined;
  if (needsNone || hasVolumeOf(storage, storageClassName)) return claim;
  if (!storage.classes.has(storageClassName)) {
    storage.classes.set(storageClassName, standInClass(storageClassName));
    const what = storageClassName === STAND_IN_CLASS ? 'The default StorageClass' : `StorageClass ${storageClassName}`;
    state.onAssumption('it is not in the files: a class of ebs.csi.aws.com with WaitForFirstConsumer stands in', what);
  }
  const named = { ...claim, spec: { ...claim.spec, storageClassName } };
  storage.claims.set(objectKeyOf(claim), named);
  return named;
}

function hasVolumeOf({ volumes }: StorageState, name: string): boolean {
  return [...volumes.values()].some(({ spec }) => spec.storageClassName === name && spec.claimRef === undefined);
}

function standInClass(name: string): StorageClass {
  const annotations = name === STAND_IN_CLASS ? { 'storageclass.kubernetes.io/is-default-class': 'true' } : undefined;
  return {
    metadata: { name, ...optional({ annotations }) },
    provisioner: 'ebs.csi.aws.com',
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'WaitForFirstConsumer',
  };
}
