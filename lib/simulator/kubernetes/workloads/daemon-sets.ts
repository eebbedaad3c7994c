import { type DaemonSet, type Node, namespaceOf, type PodSpec, type PodTemplate } from '../../../apis/kubernetes.ts';
import { isTerminal } from '../../../core/cluster/pods.ts';
import { requirementsFromLabels } from '../../../core/requirements/requirements.ts';
import { podRequests } from '../../../core/resources/pod-requests.ts';
import { add, fits, parseResources, subtract } from '../../../core/resources/resources.ts';
import { requiredAlternatives } from '../../../core/scheduling/pods/pod-requirements.ts';
import { runsOn } from '../../../core/scheduling/pools/daemons.ts';
import { priorityOf } from '../create-pod.ts';
import { objectKeyOf, uidOf } from '../objects.ts';
import type { KubernetesState } from '../state.ts';
import { type CreatePod, controllerReference, type OwnedPods, type PodOwner } from './controller-pods.ts';

/** The tolerations that the DaemonSet controller adds to its pods. */
const DAEMON_TOLERATIONS = [
  'not-ready',
  'unreachable',
  'disk-pressure',
  'memory-pressure',
  'pid-pressure',
  'unschedulable',
].map((name) => ({ key: `node.kubernetes.io/${name}`, operator: 'Exists' as const }));

interface DaemonWorld {
  readonly state: KubernetesState;
  readonly create: CreatePod;
  readonly pods: OwnedPods;
}

/** The DaemonSet controller: each node that fits gets one pod. */
export function daemonSetController({ state, create, pods }: DaemonWorld): (daemonSet: DaemonSet) => void {
  const plans = new Map<DaemonSet, DaemonPlan>();
  return (daemonSet) => {
    const plan = plans.get(daemonSet) ?? planOf(daemonSet);
    plans.set(daemonSet, plan);
    const { owner, template } = plan;
    const present = new Set(pods.of(owner.reference.uid).map((pod) => pod.spec.nodeName));
    for (const node of state.nodes.values()) {
      const { name, deletionTimestamp } = node.metadata;
      if (deletionTimestamp !== undefined || present.has(name) || !runsOnNode(plan, node)) continue;
      if (!leavesRoom(state, template.spec, node)) continue;
      create(owner, { ...template, spec: { ...template.spec, nodeName: name } });
    }
  };
}

interface DaemonPlan {
  readonly owner: PodOwner;
  readonly template: PodTemplate;
  /** Whether a pod runs on a node, by the version of the node. */
  readonly fitting: WeakMap<Node, boolean>;
}

function planOf(daemonSet: DaemonSet): DaemonPlan {
  const uid = uidOf('DaemonSet', daemonSet);
  const { template } = daemonSet.spec;
  const tolerations = [...(template.spec.tolerations ?? []), ...DAEMON_TOLERATIONS];
  return {
    owner: {
      reference: controllerReference('apps/v1', 'DaemonSet', { name: daemonSet.metadata.name, uid }),
      namespace: namespaceOf(daemonSet),
      workload: `DaemonSet ${objectKeyOf(daemonSet)}`,
    },
    template: { ...template, spec: { ...template.spec, tolerations } },
    fitting: new WeakMap(),
  };
}

function runsOnNode({ template, fitting }: DaemonPlan, node: Node): boolean {
  const known = fitting.get(node) ?? isWanted(template.spec, node);
  fitting.set(node, known);
  return known;
}

/**
 * Whether the pod fits beside the pods of higher priority that are nominated to the node. Otherwise a pod that has preempted the pod of
 * the DaemonSet would preempt the next one too. The scheduler would leave the pod pending; here, it is created later.
 */
function leavesRoom(state: KubernetesState, spec: PodSpec, node: Node): boolean {
  const { name } = node.metadata;
  const nominated = state.podIndex.unbound().filter(({ status }) => status?.nominatedNodeName === name);
  if (nominated.length === 0) return true;
  const priority = priorityOf(state, spec);
  const before = nominated.filter((pod) => (pod.spec.priority ?? 0) > priority);
  if (before.length === 0) return true;
  const there = state.podIndex.onNode(name).filter((pod) => !isTerminal(pod));
  const used = add(...[...there, ...before].map(podRequests));
  const own = podRequests({ metadata: { name }, spec });
  return fits(own, subtract(parseResources(node.status?.allocatable), used));
}

function isWanted(spec: PodSpec, { metadata: { name, labels }, spec: nodeSpec }: Node): boolean {
  const host = { fixed: true, requirements: requirementsFromLabels({ ...labels }), taints: nodeSpec?.taints ?? [] };
  const pod = { metadata: { name }, spec };
  return runsOn({ pod, alternatives: requiredAlternatives(pod) }, host);
}
