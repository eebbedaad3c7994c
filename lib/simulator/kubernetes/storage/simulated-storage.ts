import { namespaceOf, type Pod } from '../../../apis/kubernetes.ts';
import type { PersistentVolumeClaim, Storage, StorageClass } from '../../../apis/storage.ts';

const ANY_CLASS = 'simulated';

/** Volumes are not simulated: every PersistentVolumeClaim of a pod exists and binds when the pod has a node. */
export function simulatedStorage(pods: readonly Pod[]): Storage {
  const classes = new Set([ANY_CLASS, ...pods.flatMap(classesOf)]);
  return {
    persistentVolumeClaims: pods.flatMap(claimsOf),
    persistentVolumes: [],
    storageClasses: [...classes].map(storageClass),
    csiNodes: [],
  };
}

function claimsOf(pod: Pod): readonly PersistentVolumeClaim[] {
  return (pod.spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
    persistentVolumeClaim === undefined
      ? []
      : [
          {
            metadata: { name: persistentVolumeClaim.claimName, namespace: namespaceOf(pod) },
            spec: { storageClassName: ANY_CLASS },
          },
        ],
  );
}

function classesOf({ spec }: Pod): readonly string[] {
  return (spec.volumes ?? []).flatMap(({ ephemeral }) => ephemeral?.volumeClaimTemplate?.spec?.storageClassName ?? []);
}

function storageClass(name: string): StorageClass {
  const isDefault = { 'storageclass.kubernetes.io/is-default-class': String(name === ANY_CLASS) };
  return {
    metadata: { name, annotations: isDefault },
    provisioner: 'ebs.csi.aws.com',
    volumeBindingMode: 'WaitForFirstConsumer',
  };
}
