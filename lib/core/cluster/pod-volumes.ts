import type { Pod, PodSpec } from '../../apis/kubernetes.ts';

type Volume = NonNullable<PodSpec['volumes']>[number];

/** The name of the PersistentVolumeClaim of a pod's volume; that of an ephemeral volume is POD-VOLUME (B11). *Shape:* undefined for a volume without a claim. */
export function claimName(pod: Pod, volume: Volume): string | undefined {
  if (volume.persistentVolumeClaim !== undefined) return volume.persistentVolumeClaim.claimName;
  return volume.ephemeral === undefined ? undefined : `${pod.metadata.name}-${volume.name}`;
}

/** The names of the PersistentVolumeClaims of the pod, in its namespace. */
export function claimNames(pod: Pod): readonly string[] {
  return (pod.spec.volumes ?? []).flatMap((volume) => claimName(pod, volume) ?? []);
}
