import { BadInputError } from '../../apis/bad-input-error.ts';
import type { CapacityBuffer } from '../../apis/capacity-buffer.ts';
import { type ObjectMeta, type Pod, type PodTemplate, podKey } from '../../apis/kubernetes.ts';
import { optional } from '../../apis/optional.ts';
import { filledNamespaces } from '../../core/cluster/namespaces.ts';
import { isSameSubject, namespacedSubject } from '../../core/model/subject.ts';
import { bufferSubject } from '../../core/provisioning/buffer-pods.ts';
import type { ReadObject } from '../../manifests/read/read-object.ts';
import { filledPod } from '../../snapshot/fill-in.ts';
import type { ReadSnapshot } from '../../snapshot/read-snapshot.ts';
import { type Admission, planAdmission } from './admitted-pods.ts';
import { appliedPools } from './applied-pools.ts';
import type { ManifestObjects } from './manifest-objects.ts';
import { plannedStorage } from './planned-storage.ts';
import { type PlannedWorkload, plannedWorkload, replicaClaims, replicaPods } from './template-pods.ts';

/** The maximum number of pods of a plan, larger than any cluster. */
const MAX_PODS = 100_000;

/**
 * Applies the objects to the snapshot. An object replaces one of the same name, or is added. The pods of a workload are
 * pending and replace its pods in the snapshot. *Shape:* the new snapshot, and one sentence for each assumption.
 * *Errors:* BadInputError for more pods than can be planned.
 */
export function withManifests(
  read: ReadSnapshot,
  { objects, isWholeCluster }: ManifestObjects,
): { readonly applied: ReadSnapshot; readonly assumptions: readonly string[] } {
  const { snapshot, buffers } = read;
  const limitRanges = merged(
    read.limitRanges,
    objects.flatMap((one) => (one.kind === 'LimitRange' ? [one.object] : [])),
  );
  const sorted = byKind(objects);
  const admission = planAdmission(limitRanges, sorted.runtimeClasses);
  const given = withTemplates(sorted, admission);
  const workloads = objects.flatMap((one) => plannedWorkload(one) ?? []);
  const made = given.pods.map(({ metadata, spec }) => ({ metadata, spec }));
  const nodeClasses = merged(read.nodeClasses, given.nodeClasses);
  const added = [...made, ...newPods(workloads)].flatMap(admission.pods).map(filledPod);
  const pods = withPods(snapshot.pods, added, workloads);
  const nodePools = merged(
    snapshot.nodePools.map(({ nodePool }) => nodePool),
    given.nodePools,
  );
  const { storage, assumptions } = plannedStorage(
    { ...given, pods: added, podClaims: workloads.flatMap(replicaClaims) },
    { isWholeCluster, before: snapshot.storage, nodePools, instanceTypes: read.instanceTypes },
  );
  const daemonSets = merged(snapshot.daemonSets, given.daemonSets);
  const applied = {
    ...read,
    nodeClasses,
    limitRanges,
    nodeOverlays: merged(read.nodeOverlays, given.nodeOverlays),
    buffers: {
      ...buffers,
      capacityBuffers: merged(buffers.capacityBuffers, given.capacityBuffers),
      podTemplates: merged(buffers.podTemplates, given.podTemplates),
      deployments: merged(buffers.deployments, given.deployments),
      replicaSets: merged(buffers.replicaSets, given.replicaSets),
      statefulSets: merged(buffers.statefulSets, given.statefulSets),
    },
    snapshot: {
      ...snapshot,
      nodePools: appliedPools(read, {
        nodePools,
        nodeClasses,
        given: { nodePools: namesOf(given.nodePools), nodeClasses: namesOf(given.nodeClasses) },
      }),
      daemonSets,
      podDisruptionBudgets: merged(snapshot.podDisruptionBudgets, given.budgets),
      pods,
      bufferPods: withoutBuffers(snapshot.bufferPods ?? [], given.capacityBuffers),
      namespaces: filledNamespaces(merged(snapshot.namespaces ?? [], given.namespaces), [...pods, ...daemonSets]),
      ...optional({ storage }),
    },
  };
  return { applied, assumptions: [...admission.notes(), ...assumptions] };
}

function withPods(known: readonly Pod[], made: readonly Pod[], workloads: readonly PlannedWorkload[]): readonly Pod[] {
  const replaced = new Set(made.map(podKey));
  const kept = known.filter((pod) => !replaced.has(podKey(pod)) && !workloads.some((one) => belongsTo(pod, one)));
  return [...kept, ...made];
}

/** The objects by kind, so that each list has its type. */
function byKind(objects: readonly ReadObject[]) {
  return {
    nodePools: objects.flatMap((one) => (one.kind === 'NodePool' ? [one.object] : [])),
    nodeClasses: objects.flatMap((one) => (one.kind === 'EC2NodeClass' ? [one.object] : [])),
    nodeOverlays: objects.flatMap((one) => (one.kind === 'NodeOverlay' ? [one.object] : [])),
    capacityBuffers: objects.flatMap((one) => (one.kind === 'CapacityBuffer' ? [one.object] : [])),
    podTemplates: objects.flatMap((one) => (one.kind === 'PodTemplate' ? [one.object] : [])),
    deployments: objects.flatMap((one) => (one.kind === 'Deployment' ? [one.object] : [])),
    replicaSets: objects.flatMap((one) => (one.kind === 'ReplicaSet' ? [one.object] : [])),
    statefulSets: objects.flatMap((one) => (one.kind === 'StatefulSet' ? [one.object] : [])),
    daemonSets: objects.flatMap((one) => (one.kind === 'DaemonSet' ? [one.object] : [])),
    budgets: objects.flatMap((one) => (one.kind === 'PodDisruptionBudget' ? [one.object] : [])),
    persistentVolumes: objects.flatMap((one) => (one.kind === 'PersistentVolume' ? [one.object] : [])),
    persistentVolumeClaims: objects.flatMap((one) => (one.kind === 'PersistentVolumeClaim' ? [one.object] : [])),
    storageClasses: objects.flatMap((one) => (one.kind === 'StorageClass' ? [one.object] : [])),
    runtimeClasses: objects.flatMap((one) => (one.kind === 'RuntimeClass' ? [one.object] : [])),
    namespaces: objects.flatMap((one) => (one.kind === 'Namespace' ? [one.object] : [])),
    pods: objects.flatMap((one) => (one.kind === 'Pod' ? [one.object] : [])),
  };
}

/**
 * The objects whose templates stand for pods, as admission changes these: a DaemonSet without pods (B20), and what a
 * CapacityBuffer refers to (B65). A decision in a cluster reads neither LimitRanges nor RuntimeClasses, so objects of the snapshot keep their templates.
 */
function withTemplates(given: ReturnType<typeof byKind>, admission: Admission): typeof given {
  const complete = <T extends WithTemplate>(one: T): T => ({
    ...one,
    spec: { ...one.spec, template: admission.template(one.spec.template, one) },
  });
  return {
    ...given,
    podTemplates: given.podTemplates.map((one) => ({
      ...one,
      template: admission.template(one.template, one),
    })),
    deployments: given.deployments.map(complete),
    replicaSets: given.replicaSets.map(complete),
    statefulSets: given.statefulSets.map(complete),
    daemonSets: given.daemonSets.map(complete),
  };
}

interface WithTemplate {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly template: PodTemplate };
}

function newPods(workloads: readonly PlannedWorkload[]): readonly Pod[] {
  const count = workloads.reduce((sum, { replicas }) => sum + replicas, 0);
  if (count > MAX_PODS)
    throw new BadInputError(`${count} pods are too many: the limit is ${MAX_PODS}; lower the replicas`);
  return workloads.flatMap(replicaPods);
}

/** The virtual pods without those of buffers that a manifest replaces; they are created again from the manifest. */
function withoutBuffers(pods: readonly Pod[], given: readonly CapacityBuffer[]): readonly Pod[] {
  const replaced = given.map((buffer) => namespacedSubject('CapacityBuffer', buffer));
  return pods.filter((pod) => !replaced.some((one) => isSameSubject(one, bufferSubject(pod))));
}

function namesOf(objects: readonly { readonly metadata: ObjectMeta }[]): ReadonlySet<string> {
  return new Set(objects.map(({ metadata }) => metadata.name));
}

/**
 * The list with the given objects. An object with a known name replaces that object, and keeps the UID that the API server gave it; others
 * are appended.
 */
function merged<T extends { readonly metadata: ObjectMeta }>(known: readonly T[], given: readonly T[]): readonly T[] {
  const byKey = new Map(known.map((one) => [podKey(one), one]));
  for (const one of given) {
    const uid = one.metadata.uid ?? byKey.get(podKey(one))?.metadata.uid;
    byKey.set(podKey(one), { ...one, metadata: { ...one.metadata, ...optional({ uid }) } });
  }
  return [...byKey.values()];
}

/** True for a pod of the same workload, of the current or an earlier revision. */
function belongsTo({ metadata }: Pod, { kind, namespace, name }: PlannedWorkload): boolean {
  if ((metadata.namespace ?? 'default') !== namespace) return false;
  return (metadata.ownerReferences ?? []).some((owner) => {
    if (kind !== 'Deployment') return owner.kind === kind && owner.name === name;
    const hash = metadata.labels?.['pod-template-hash'];
    const isRevision = owner.name.startsWith(`${name}-`) && !owner.name.slice(name.length + 1).includes('-');
    return owner.kind === 'ReplicaSet' && (hash === undefined ? isRevision : owner.name === `${name}-${hash}`);
  });
}
