import type { Pod, PodSpec } from '../../../apis/kubernetes.ts';
import type { PersistentVolumeClaim } from '../../../apis/storage.ts';
import { type StorageIndex, volumeClaimKey } from './storage-index.ts';

/** A volume of a pod that a PersistentVolumeClaim stands for; other volumes ask nothing of a node. */
export interface ClaimedVolume {
  /** What the pod calls it. */
  readonly name: string;
  /** The claim, as `namespace/name`: the same for all pods that share it. */
  readonly claimKey: string;
  /** Absent where there is no such claim (yet). */
  readonly claim: PersistentVolumeClaim | undefined;
  /** B11: its claim is made with the pod. */
  readonly ephemeral: boolean;
  /** Its own, else the template's, else the default; undefined where none applies. */
  readonly storageClassName: string | undefined;
}

/** The pod's volumes that a claim stands for, in the order of the pod. */
export function claimedVolumes(pod: Pod, storage: StorageIndex): readonly ClaimedVolume[] {
  const { volumes = [] } = pod.spec;
  return volumes.flatMap((volume) => {
    const name = claimName(pod, volume);
    return name === undefined ? [] : [claimedVolume(volume, volumeClaimKey({ ...pod.metadata, name }), storage)];
  });
}

type Volume = NonNullable<PodSpec['volumes']>[number];

function claimName(pod: Pod, volume: Volume): string | undefined {
  if (volume.persistentVolumeClaim !== undefined) return volume.persistentVolumeClaim.claimName;
  return volume.ephemeral === undefined ? undefined : `${pod.metadata.name}-${volume.name}`;
}

function claimedVolume(volume: Volume, key: string, storage: StorageIndex): ClaimedVolume {
  const claim = storage.persistentVolumeClaims.get(key);
  const { spec } = claim ?? volume.ephemeral?.volumeClaimTemplate ?? {};
  return {
    name: volume.name,
    claimKey: key,
    claim,
    ephemeral: volume.persistentVolumeClaim === undefined,
    // Kubernetes gives the default class to a claim that names none, also once it exists; Karpenter waits until then.
    storageClassName: spec?.storageClassName ?? storage.defaultStorageClass,
  };
}
