import {
  namespaceOf,
  type ObjectMeta,
  type OwnerReference,
  type Pod,
  type PodTemplate,
} from '../../apis/kubernetes.ts';
import type { PersistentVolumeClaim } from '../../apis/storage.ts';
import { claimsOf, type Job, type StatefulSet, templateOf } from '../../apis/workloads.ts';
import { fingerprint } from '../../core/identity.ts';
import type { ReadObject } from '../../manifests/read/read-object.ts';

/** A workload whose pods a plan adds. */
export interface PlannedWorkload {
  readonly kind: 'Deployment' | 'ReplicaSet' | 'StatefulSet' | 'Job';
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
  /** The number of the first pod. */
  readonly first: number;
  readonly templateFor: (pod: string) => PodTemplate;
  /** The PersistentVolumeClaims that are created with a pod. */
  readonly claimsFor: (pod: string) => readonly PersistentVolumeClaim[];
}

/** *Shape:* undefined for an object without pods of its own. */
export function plannedWorkload(read: ReadObject): PlannedWorkload | undefined {
  if (read.kind === 'StatefulSet') return ofStatefulSet(read.object);
  if (read.kind === 'Job') return ofJob(read.object);
  if (read.kind !== 'Deployment' && read.kind !== 'ReplicaSet') return undefined;
  const { metadata, spec } = read.object;
  return { ...workload(read.kind, metadata, spec.template), replicas: spec.replicas ?? 1 };
}

function ofStatefulSet(set: StatefulSet): PlannedWorkload {
  const { metadata, spec } = set;
  return {
    ...workload('StatefulSet', metadata, spec.template),
    replicas: spec.replicas ?? 1,
    first: spec.ordinals?.start ?? 0,
    templateFor: (pod) => templateOf(spec, pod),
    claimsFor: (pod) => claimsOf(set, pod),
  };
}

function ofJob({ metadata, spec }: Job): PlannedWorkload {
  const { parallelism = 1, completions = parallelism } = spec;
  return { ...workload('Job', metadata, spec.template), replicas: Math.min(parallelism, completions) };
}

function workload(
  kind: PlannedWorkload['kind'],
  metadata: ObjectMeta,
  template: PodTemplate,
): Omit<PlannedWorkload, 'replicas'> {
  const [name, namespace] = [metadata.name, namespaceOf({ metadata })];
  return { kind, namespace, name, first: 0, templateFor: () => template, claimsFor: () => [] };
}

/** One pod for each replica, owned by the workload. */
export function replicaPods(planned: PlannedWorkload): readonly Pod[] {
  const { kind, namespace, name, templateFor } = planned;
  const isDeployment = kind === 'Deployment';
  const revision = isDeployment ? `${name}-${fingerprint(JSON.stringify(templateFor('')), 8)}` : name;
  const owner: OwnerReference = {
    apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1',
    kind: isDeployment ? 'ReplicaSet' : kind,
    name: revision,
    uid: fingerprint(`${kind}/${namespace}/${revision}`),
    controller: true,
  };
  return numbersOf(planned).map((number) => {
    const pod = `${revision}-${number}`;
    const { metadata, spec } = templateFor(pod);
    return { metadata: { ...metadata, namespace, name: pod, ownerReferences: [owner] }, spec };
  });
}

/** The PersistentVolumeClaims of these pods. */
export function replicaClaims(planned: PlannedWorkload): readonly PersistentVolumeClaim[] {
  return numbersOf(planned).flatMap((number) => planned.claimsFor(`${planned.name}-${number}`));
}

function numbersOf({ replicas, first }: PlannedWorkload): readonly number[] {
  return Array.from({ length: replicas }, (_, index) => first + index);
}
