import type { Pod, PodSpec } from '../../../apis/kubernetes.ts';
import type { PersistentVolumeClaim } from '../../../apis/storage.ts';
import { claimName } from '../../cluster/pod-volumes.ts';
import { type StorageIndex, volumeClaimKey } from './storage-index.ts';

/** A volume of a pod with a PersistentVolumeClaim. Other volumes do not affect placement. */
export interface ClaimedVolume {
  /** The name of the volume in the pod. */
  readonly name: string;
  /** The claim, as `namespace/name`. */
  readonly claimKey: string;
  /** Undefined if the claim does not exist. */
  readonly claim: PersistentVolumeClaim | undefined;
  /** B11: an ephemeral volume. Its claim is created after the pod. */
  readonly ephemeral: boolean;
  /** The class of the claim, else of the template, else the default class. */
  readonly storageClassName: string | undefined;
}

/** The volumes of the pod that have a claim, in the order of the pod. */
export function claimedVolumes(pod: Pod, storage: StorageIndex): readonly ClaimedVolume[] {
  const { volumes = [] } = pod.spec;
  return volumes.flatMap((volume) => {
    const name = claimName(pod, volume);
    return name === undefined ? [] : [claimedVolume(volume, volumeClaimKey({ ...pod.metadata, name }), storage)];
  });
}

type Volume = NonNullable<PodSpec['volumes']>[number];

function claimedVolume(volume: Volume, key: string, storage: StorageIndex): ClaimedVolume {
  const claim = storage.persistentVolumeClaims.get(key);
  const { spec } = claim ?? volume.ephemeral?.volumeClaimTemplate ?? {};
  return {
    name: volume.name,
    claimKey: key,
    claim,
    ephemeral: volume.persistentVolumeClaim === undefined,
    // Kubernetes sets the default class on a claim without a class, also on an existing claim. Karpenter waits for this.
    storageClassName: spec?.storageClassName ?? storage.defaultStorageClass,
  };
}
