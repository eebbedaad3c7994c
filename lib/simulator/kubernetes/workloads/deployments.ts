import { type Deployment, namespaceOf, type Pod } from '../../../apis/kubernetes.ts';
import type { ReplicaSet } from '../../../apis/workloads.ts';
import { isActive } from '../../../core/cluster/pods.ts';
import { compareText } from '../../../core/compare-text.ts';
import { fingerprint } from '../../../core/identity.ts';
import type { Clock } from '../../../ports/clock.ts';
import { objectKeyOf, uidOf } from '../objects.ts';
import { endPodNow } from '../simulated-cluster.ts';
import type { KubernetesState } from '../state.ts';
import { type CreatePod, controllerReference, type OwnedPods, type PodOwner } from './controller-pods.ts';

interface Replicated {
  readonly state: KubernetesState;
  readonly timetable: Clock;
  readonly create: CreatePod;
  readonly pods: OwnedPods;
}

/** The Deployment controller with its ReplicaSets: it keeps the number of pods. */
export function reconcileDeployment(world: Replicated, deployment: Deployment): void {
  keepReplicas(world, replicaSetOf(deployment), deployment.spec);
}

/** The ReplicaSet controller, for ReplicaSets without a Deployment. */
export function reconcileReplicaSet(world: Replicated, replicaSet: ReplicaSet): void {
  const { name } = replicaSet.metadata;
  const uid = uidOf('ReplicaSet', replicaSet);
  const owner = {
    reference: controllerReference('apps/v1', 'ReplicaSet', { name, uid }),
    namespace: namespaceOf(replicaSet),
    workload: `ReplicaSet ${objectKeyOf(replicaSet)}`,
  };
  keepReplicas(world, owner, replicaSet.spec);
}

function keepReplicas({ state, timetable, create, pods }: Replicated, owner: PodOwner, spec: Deployment['spec']): void {
  const wanted = spec.replicas ?? 1;
  const active = pods.activeOf(owner.reference.uid);
  for (let count = active; count < wanted; count += 1) create(owner, spec.template);
  if (active <= wanted) return;
  const mine = pods.of(owner.reference.uid).filter(isActive);
  for (const pod of mine.toSorted(firstToGo).slice(0, active - wanted)) endPodNow(state, pod, timetable);
}

const hashes = new WeakMap<Deployment['spec']['template'], string>();

function replicaSetOf(deployment: Deployment): PodOwner {
  const { name } = deployment.metadata;
  const { template } = deployment.spec;
  const hash = hashes.get(template) ?? fingerprint(JSON.stringify(template), 8);
  hashes.set(template, hash);
  const uid = `replicaset-${objectKeyOf(deployment)}-${hash}`;
  return {
    reference: controllerReference('apps/v1', 'ReplicaSet', { name: `${name}-${hash}`, uid }),
    namespace: namespaceOf(deployment),
    workload: `Deployment ${objectKeyOf(deployment)}`,
    labels: { 'pod-template-hash': hash },
  };
}

/** The order of deletion when scaling down, as in Kubernetes: unassigned pods, pods that are not running, then newer pods. */
function firstToGo(a: Pod, b: Pod): number {
  return (
    Number(a.spec.nodeName !== undefined) - Number(b.spec.nodeName !== undefined) ||
    Number(a.status?.phase === 'Running') - Number(b.status?.phase === 'Running') ||
    compareText(b.metadata.creationTimestamp, a.metadata.creationTimestamp) ||
    compareText(b.metadata.name, a.metadata.name)
  );
}
