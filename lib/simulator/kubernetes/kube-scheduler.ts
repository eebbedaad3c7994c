import type { Affinity, Pod } from '../../apis/kubernetes.ts';
import { formatTime } from '../../apis/time.ts';
import { isActive } from '../../core/cluster/pods.ts';
import { stateNodes } from '../../core/cluster/state-node.ts';
import { byDescendingSize, type Demand, demandOf } from '../../core/scheduling/demand.ts';
import { type ExistingHost, existingHost, takeRoom, whyNotOnHost } from '../../core/scheduling/existing-host.ts';
import type { Topology } from '../../core/scheduling/topology.ts';
import type { Clock } from '../../ports/clock.ts';
import { type KubernetesState, writePod } from './state.ts';

/** Kubernetes's scheduler: binds what fits, marks what does not, and says so in an event that wakes Kerf. */
export interface KubeScheduler {
  pass(): void;
}

export function kubeScheduler(state: KubernetesState, clock: Clock): KubeScheduler {
  let nodesSeen = '';
  return {
    pass() {
      const { hosts, topology } = observe(state);
      const nodesNow = hosts.map(({ name }) => name).join();
      const pending = [...state.pods.values()].filter(isWaiting).map(demandOf).toSorted(byPriority);
      let speaks = false;
      for (const demand of pending) {
        const best = bestHost(demand, hosts, topology);
        if (best !== undefined) {
          takeRoom(best, demand);
          topology.placed.push({ pod: demand.pod, host: best });
          bind(state, demand.pod, { node: best.name, clock });
        } else if (markUnschedulable(state, demand.pod, clock) || nodesNow !== nodesSeen) speaks = true;
      }
      nodesSeen = nodesNow;
      if (speaks) state.onReview({ resource: 'events', name: 'failed-scheduling' });
    },
  };
}

function isWaiting(pod: Pod): boolean {
  return pod.spec.nodeName === undefined && isActive(pod) && (pod.spec.schedulingGates ?? []).length === 0;
}

function byPriority(a: Demand, b: Demand): number {
  return (b.pod.spec.priority ?? 0) - (a.pod.spec.priority ?? 0) || byDescendingSize(a, b);
}

function observe(state: KubernetesState): { hosts: readonly ExistingHost[]; topology: Topology } {
  const nodes = stateNodes({
    cluster: '',
    epoch: 0,
    nodePools: [],
    nodes: [...state.nodes.values()],
    pods: [...state.pods.values()],
    daemonSets: [],
    podDisruptionBudgets: [],
    // The scheduler knows nothing of claims: it goes by what nodes say.
    nodeClaims: [],
    commands: [],
    nominated: new Set(),
    unavailable: [],
  });
  const hosts = nodes.map((one) => {
    const host = existingHost(one, []);
    return { ...host, taints: host.taints.filter((taint) => taint.effect !== 'PreferNoSchedule') };
  });
  const universe = new Map<string, Set<string>>();
  for (const { labels } of nodes) {
    for (const [key, value] of Object.entries(labels)) universe.set(key, (universe.get(key) ?? new Set()).add(value));
  }
  const placed = hosts.flatMap((host) => host.stateNode.pods.filter(isActive).map((pod) => ({ pod, host })));
  return { hosts, topology: { universe, placed, watched: [] } };
}

/**
 * Of the nodes that take the pod with all that it wishes, else of those that take it at all, the one with the most room
 * left afterwards: what Kubernetes's default scoring comes to.
 */
function bestHost(demand: Demand, hosts: readonly ExistingHost[], topology: Topology): ExistingHost | undefined {
  const variants = hardVariants(demand.pod).map((pod) => ({ ...demand, pod }));
  const wished = hosts.filter((host) => whyNotOnHost(host, demand, topology) === undefined);
  if (wished.length > 0) return roomiest(wished, demand);
  const fitting = hosts.filter((host) =>
    variants.some((variant) => whyNotOnHost(host, variant, topology) === undefined),
  );
  return roomiest(fitting, demand);
}

function roomiest(hosts: readonly ExistingHost[], demand: Demand): ExistingHost | undefined {
  return hosts.toSorted((a, b) => roomAfter(b, demand) - roomAfter(a, demand))[0];
}

/** The share of cpu and memory that would be left. */
function roomAfter({ free, stateNode }: ExistingHost, { requests }: Demand): number {
  const share = (name: string): number =>
    ((free[name] ?? 0) - (requests[name] ?? 0)) / Math.max(1, stateNode.allocatable[name] ?? 1);
  return share('cpu') + share('memory');
}

/** The pod without its wishes, once for each of its alternative node affinity terms. */
function hardVariants(pod: Pod): readonly Pod[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  const required = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required === undefined ? [undefined] : required.nodeSelectorTerms;
  const topologySpreadConstraints = (pod.spec.topologySpreadConstraints ?? []).filter(
    (constraint) => constraint.whenUnsatisfiable === 'DoNotSchedule',
  );
  return terms.map((term) => {
    const affinity: Affinity = {
      ...(term === undefined
        ? {}
        : { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } }),
      ...(podAffinity === undefined ? {} : { podAffinity: hard(podAffinity) }),
      ...(podAntiAffinity === undefined ? {} : { podAntiAffinity: hard(podAntiAffinity) }),
    };
    return { ...pod, spec: { ...pod.spec, affinity, topologySpreadConstraints } };
  });
}

function hard(affinity: NonNullable<Affinity['podAffinity']>): NonNullable<Affinity['podAffinity']> {
  const required = affinity.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined ? {} : { requiredDuringSchedulingIgnoredDuringExecution: required };
}

function bind(
  state: KubernetesState,
  pod: Pod,
  { node, clock }: { readonly node: string; readonly clock: Clock },
): void {
  const condition = { type: 'PodScheduled', status: 'True' as const, lastTransitionTime: formatTime(clock.now()) };
  writePod(state, {
    ...pod,
    spec: { ...pod.spec, nodeName: node },
    status: { ...pod.status, phase: 'Pending', conditions: [condition] },
  });
}

/** True where the pod was not marked before. */
function markUnschedulable(state: KubernetesState, pod: Pod, clock: Clock): boolean {
  if (pod.status?.conditions?.some((condition) => condition.reason === 'Unschedulable') === true) return false;
  const condition = {
    type: 'PodScheduled',
    status: 'False' as const,
    reason: 'Unschedulable',
    lastTransitionTime: formatTime(clock.now()),
  };
  writePod(state, { ...pod, status: { ...pod.status, phase: 'Pending', conditions: [condition] } });
  return true;
}
