import { formatTime } from '../../../apis/formats/time.ts';
import { type Deployment, type OwnerReference, type Pod, type PodTemplate, podKey } from '../../../apis/kubernetes.ts';
import { isActive } from '../../../core/cluster/pods.ts';
import { compareText } from '../../../core/compare-text.ts';
import { fingerprint } from '../../../core/identity.ts';
import { requirementsFromLabels } from '../../../core/requirements/requirements.ts';
import { requiredAlternatives } from '../../../core/scheduling/pods/pod-requirements.ts';
import { runsOn } from '../../../core/scheduling/pools/daemons.ts';
import type { Clock } from '../../../ports/clock.ts';
import { createPod } from '../create-pod.ts';
import { objectKeyOf, uidOf } from '../objects.ts';
import { endPod } from '../simulated-cluster.ts';
import type { KubernetesState } from '../state.ts';

/** The Deployment and DaemonSet controllers, which create and delete pods. */
export interface Workloads {
  reconcile(): void;
}

/** The tolerations that the DaemonSet controller adds to its pods. */
const DAEMON_TOLERATIONS = [
  'not-ready',
  'unreachable',
  'disk-pressure',
  'memory-pressure',
  'pid-pressure',
  'unschedulable',
].map((name) => ({ key: `node.kubernetes.io/${name}`, operator: 'Exists' as const }));

export function workloads(state: KubernetesState, clock: Clock): Workloads {
  let made = 0;
  const create = (owner: OwnerReference, namespace: string, template: PodTemplate): void => {
    made += 1;
    const name = `${owner.name}-${fingerprint(`${owner.uid}/${made}`, 5)}`;
    const creationTimestamp = formatTime(clock.now());
    createPod(state, {
      metadata: {
        ...template.metadata,
        name,
        namespace,
        uid: `pod-${made}-${name}`,
        ownerReferences: [owner],
        creationTimestamp,
      },
      spec: template.spec,
      status: { phase: 'Pending' },
    });
  };
  const reconcileDeployment = (deployment: Deployment): void => {
    const owner = replicaSetOf(deployment);
    const mine = podsOf(state, owner.uid).filter(isActive);
    const wanted = deployment.spec.replicas ?? 1;
    for (let count = mine.length; count < wanted; count += 1)
      create(owner, deployment.metadata.namespace ?? 'default', deployment.spec.template);
    for (const pod of mine.toSorted(firstToGo).slice(0, Math.max(0, mine.length - wanted)))
      endPod(state, pod, clock.now());
  };
  const reconcileDaemons = (): void => {
    for (const daemonSet of state.daemonSets) {
      const owner = controllerReference('DaemonSet', daemonSet.metadata.name, uidOf('DaemonSet', daemonSet));
      const { template } = daemonSet.spec;
      const tolerations = [...(template.spec.tolerations ?? []), ...DAEMON_TOLERATIONS];
      const spec = { ...template.spec, tolerations };
      const present = new Set(podsOf(state, owner.uid).map((pod) => pod.spec.nodeName));
      for (const node of state.nodes.values()) {
        const { name, labels } = node.metadata;
        const host = {
          fixed: true,
          requirements: requirementsFromLabels({ ...labels }),
          taints: node.spec?.taints ?? [],
        };
        const pod = { metadata: { name }, spec };
        const runs = runsOn({ pod, alternatives: requiredAlternatives(pod) }, host);
        const wanted = node.metadata.deletionTimestamp === undefined && runs;
        if (wanted && !present.has(name)) {
          create(owner, daemonSet.metadata.namespace ?? 'default', { ...template, spec: { ...spec, nodeName: name } });
        }
      }
    }
  };
  return {
    reconcile() {
      for (const deployment of state.deployments.values()) reconcileDeployment(deployment);
      reconcileDaemons();
    },
  };
}

/** The workload of a pod: `Deployment default/web`, `Pod default/one`. */
export function workloadOf(pod: Pod): string {
  const owner = pod.metadata.ownerReferences?.[0];
  if (owner === undefined) return `Pod ${podKey(pod)}`;
  const namespace = pod.metadata.namespace ?? 'default';
  return owner.kind === 'ReplicaSet'
    ? `Deployment ${namespace}/${owner.name.replace(/-[^-]*$/, '')}`
    : `${owner.kind} ${namespace}/${owner.name}`;
}

function podsOf(state: KubernetesState, ownerUid: string): readonly Pod[] {
  return [...state.pods.values()].filter((pod) => pod.metadata.ownerReferences?.[0]?.uid === ownerUid);
}

function replicaSetOf(deployment: Deployment): OwnerReference {
  const hash = fingerprint(JSON.stringify(deployment.spec.template), 8);
  return controllerReference(
    'ReplicaSet',
    `${deployment.metadata.name}-${hash}`,
    `replicaset-${objectKeyOf(deployment)}-${hash}`,
  );
}

function controllerReference(kind: string, name: string, uid: string): OwnerReference {
  return { apiVersion: 'apps/v1', kind, name, uid, controller: true };
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
