import type { Pod } from '../../apis/kubernetes.ts';
import { CAPACITY_TYPE, INSTANCE_TYPE, ZONE } from '../../apis/labels.ts';
import { textField } from '../../apis/record.ts';
import { type StateNode, stateNodes } from '../cluster/state-node.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { instanceOf } from '../model/node-claim-record.ts';
import { podRequests } from '../resources/pod-requests.ts';
import { toMicros } from '../usd-per-hour.ts';
import type { NodeUsage, Requested } from './usage-hour.ts';

/** One look at what nodes cost and what their pods request. */
export interface UsageLook {
  readonly usdPerHour: number;
  readonly nodes: readonly NodeUsage[];
  readonly namespaces: ReadonlyMap<string, Requested>;
  /** By label and value. */
  readonly labels: ReadonlyMap<string, ReadonlyMap<string, Requested>>;
}

const MIB = 1_024 * 1_024;

/**
 * The nodes with a NodeClaim, and their pods. A pod has the mean of its shares of the cpu and of the memory of its node, and that part of
 * the price. What no pod requests of a node has no owner. *Cost:* O(nodes + pods).
 */
export function lookAtUsage(
  snapshot: Pick<ClusterSnapshot, 'nodes' | 'nodeClaims' | 'pods' | 'commands'>,
  labels: readonly string[],
): UsageLook {
  const nodes: NodeUsage[] = [];
  const namespaces = new Map<string, Requested>();
  const byLabel = new Map(labels.map((label) => [label, new Map<string, Requested>()]));
  for (const stateNode of stateNodes(snapshot)) {
    const { node, nodeClaim } = stateNode;
    if (node === undefined || nodeClaim === undefined) continue;
    const usdPerHour = instanceOf(nodeClaim)?.priceUsdPerHour ?? 0;
    const requests = stateNode.pods.map((pod) => ({ pod, requested: requestedBy(pod, stateNode, usdPerHour) }));
    for (const { pod, requested } of requests) {
      addTo(namespaces, pod.metadata.namespace ?? 'default', requested);
      for (const [label, values] of byLabel) {
        const value = textField(pod.metadata.labels, label);
        if (value !== undefined) addTo(values, value, requested);
      }
    }
    const all = requests.reduce((sum, { requested }) => plus(sum, requested), NOTHING);
    nodes.push(usageOf(stateNode, usdPerHour, all));
  }
  const usdPerHour = nodes.reduce((sum, one) => sum + one.usdPerHour, 0);
  return { usdPerHour, nodes, namespaces, labels: byLabel };
}

export const NOTHING: Requested = { cpuMillicores: 0, memoryMib: 0, usdPerHour: 0 };

export function plus(a: Requested, b: Requested): Requested {
  return {
    cpuMillicores: a.cpuMillicores + b.cpuMillicores,
    memoryMib: a.memoryMib + b.memoryMib,
    usdPerHour: a.usdPerHour + b.usdPerHour,
  };
}

export function addTo(sums: Map<string, Requested>, key: string, requested: Requested): void {
  sums.set(key, plus(sums.get(key) ?? NOTHING, requested));
}

function requestedBy(pod: Pod, { allocatable }: StateNode, priceUsdPerHour: number): Requested {
  const requests = podRequests(pod);
  const shares = ['cpu', 'memory'].map((name) => (requests[name] ?? 0) / Math.max(allocatable[name] ?? 0, 1));
  const share = shares.reduce((sum, one) => sum + Math.min(one, 1), 0) / shares.length;
  return {
    cpuMillicores: requests['cpu'] ?? 0,
    memoryMib: (requests['memory'] ?? 0) / MIB,
    usdPerHour: share * priceUsdPerHour,
  };
}

function usageOf({ name, labels, nodePool = '', allocatable, pods }: StateNode, usdPerHour: number, all: Requested) {
  return {
    name,
    nodePool,
    instanceType: labels[INSTANCE_TYPE] ?? '',
    zone: labels[ZONE] ?? '',
    capacityType: labels[CAPACITY_TYPE] ?? '',
    usdPerHour,
    requestedUsdPerHour: toMicros(all.usdPerHour),
    cpuMillicores: [Math.round(all.cpuMillicores), Math.round(allocatable['cpu'] ?? 0)],
    memoryMib: [Math.round(all.memoryMib), Math.round((allocatable['memory'] ?? 0) / MIB)],
    pods: pods.length,
    looks: 1,
  } as const;
}
