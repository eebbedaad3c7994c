import { SECOND_MS, timeIn } from '../../../apis/formats/time.ts';
import { namespaceOf, type Pod, podKey } from '../../../apis/kubernetes.ts';
import { claimsOf, type StatefulSet, templateOf } from '../../../apis/workloads.ts';
import { isReady, isTerminal, isTerminating } from '../../../core/cluster/pods.ts';
import type { Timetable } from '../../timetable.ts';
import { objectKeyOf, uidOf } from '../objects.ts';
import { endPodGracefully } from '../simulated-cluster.ts';
import { type KubernetesState, removePod } from '../state.ts';
import { addVolumeClaim } from '../storage/storage-state.ts';
import { type CreatePod, controllerReference, type OwnedPods } from './controller-pods.ts';

interface StatefulWorld {
  readonly state: KubernetesState;
  readonly timetable: Timetable;
  readonly create: CreatePod;
  readonly pods: OwnedPods;
}

/**
 * The StatefulSet controller. With OrderedReady, it creates a pod when all pods before it are ready, and deletes the pod with the
 * highest ordinal when all others are; with Parallel, it waits for none. A new pod waits until the old one with its name is gone.
 */
export function reconcileStatefulSet(world: StatefulWorld, set: StatefulSet): void {
  // The deletion of a pod without a node is immediate, and the next step follows at once.
  while (step(world, set) === 'removed');
}

function step(world: StatefulWorld, set: StatefulSet): 'removed' | 'done' {
  const { start = 0 } = set.spec.ordinals ?? {};
  const end = start + (set.spec.replicas ?? 1);
  const isOrdered = set.spec.podManagementPolicy !== 'Parallel';
  const pods = new Map(world.pods.of(uidOf('StatefulSet', set)).map((pod) => [ordinalOf(pod), pod]));
  for (let ordinal = start; ordinal < end; ordinal += 1) {
    const pod = pods.get(ordinal);
    if (pod === undefined) createReplica(world, set, ordinal);
    else if (isTerminal(pod)) return removePod(world.state, pod), 'removed';
    if (isOrdered && (pod === undefined || !isAvailable(world, set, pod))) return 'done';
  }
  const surplus = [...pods].filter(([ordinal]) => ordinal < start || ordinal >= end).toSorted(([a], [b]) => b - a);
  for (const [, pod] of isOrdered ? surplus.slice(0, 1) : surplus) {
    if (isTerminating(pod)) continue;
    endPodGracefully(world.state, pod, world.timetable);
    if (!world.state.pods.has(podKey(pod))) return 'removed';
  }
  return 'done';
}

function ordinalOf({ metadata: { name } }: Pod): number {
  return Number(name.slice(name.lastIndexOf('-') + 1));
}

/** Whether the pod has been ready for `minReadySeconds`. */
function isAvailable({ state, timetable }: StatefulWorld, { spec }: StatefulSet, pod: Pod): boolean {
  if (isTerminating(pod) || pod.status?.phase !== 'Running' || !isReady(pod)) return false;
  const { minReadySeconds = 0 } = spec;
  if (minReadySeconds === 0) return true;
  const since = pod.status.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime;
  const leftMs = (timeIn(since) ?? 0) + minReadySeconds * SECOND_MS - timetable.now();
  if (leftMs > 0) timetable.after(leftMs, () => state.onChange());
  return leftMs <= 0;
}

function createReplica({ state, create }: StatefulWorld, set: StatefulSet, ordinal: number): void {
  const { metadata } = set;
  const [name, namespace] = [`${metadata.name}-${ordinal}`, namespaceOf(set)];
  // A pod of another owner may have the name.
  if (state.pods.has(`${namespace}/${name}`)) return;
  for (const claim of claimsOf(set, name)) addVolumeClaim(state, claim);
  const owner = {
    reference: controllerReference('apps/v1', 'StatefulSet', { name: metadata.name, uid: uidOf('StatefulSet', set) }),
    namespace,
    workload: `StatefulSet ${objectKeyOf(set)}`,
  };
  const labels = { 'statefulset.kubernetes.io/pod-name': name, 'apps.kubernetes.io/pod-index': String(ordinal) };
  create(owner, templateOf(set.spec, name), { name, labels });
}
