import { type Node, type Pod } from '../../apis/kubernetes.ts';
import { isTerminal } from '../../core/cluster/pods.ts';
import { podRequests } from '../../core/resources/pod-requests.ts';
import { resourcesOf } from '../../core/resources/resources.ts';
import type { FleetNode } from '../../page/fleet/frame.ts';
import type { TimelineEntry } from '../../simulator/timeline.ts';
import { type ChangedNodes, type NodeChanges, nodeChanges } from './node-changes.ts';

const MIB = 1_024 * 1_024;

/** The nodes of a simulation, and which of their fields have changed since they were last taken. */
export interface FleetNodes {
  note(entry: TimelineEntry): void;
  pod(before: Pod | undefined, after: Pod | undefined): void;
  node(after: Node | undefined): void;
  take(): ChangedNodes;
  /** The requests of all pods on nodes. *Units:* millicores and MiB. */
  requested(): { readonly cpu: number; readonly memory: number };
}

interface Load {
  cpu: number;
  memory: number;
  pods: number;
}

interface Parts {
  readonly changes: NodeChanges;
  /** The NodePool of each NodeClaim. */
  readonly pools: Map<string, string>;
  /** The NodeClaim of each node. */
  readonly claimOf: Map<string, string>;
  readonly loads: Map<string, Load>;
  readonly allocatables: Map<string, Pick<FleetNode, 'cpu' | 'memory'>>;
  readonly total: Load;
}

export function fleetNodes(): FleetNodes {
  const parts: Parts = {
    changes: nodeChanges(),
    pools: new Map(),
    claimOf: new Map(),
    loads: new Map(),
    allocatables: new Map(),
    total: { cpu: 0, memory: 0, pods: 0 },
  };
  const { changes, claimOf, allocatables, total } = parts;
  return {
    pod(before, after) {
      // Most writes change only the conditions.
      if (before?.spec === after?.spec && before?.status?.phase === after?.status?.phase) return;
      count(parts, before, -1);
      count(parts, after, 1);
    },
    node(after) {
      if (after === undefined) return;
      const { cpu = 0, memory = 0 } = resourcesOf(after.status?.allocatable ?? {});
      const { name } = after.metadata;
      const allocatable = { cpu, memory: Math.round(memory / MIB) };
      allocatables.set(name, allocatable);
      changes.set(claimOf.get(name), allocatable);
    },
    note: (entry) => note(parts, entry),
    take: () => changes.take(),
    requested: () => ({ cpu: total.cpu, memory: total.memory }),
  };
}

/** Adds the requests of a pod to those of its node, or removes them. */
function count({ loads, total, changes, claimOf }: Parts, pod: Pod | undefined, sign: 1 | -1): void {
  const name = pod?.spec.nodeName;
  if (pod === undefined || name === undefined || isTerminal(pod)) return;
  const load = loads.get(name) ?? { cpu: 0, memory: 0, pods: 0 };
  loads.set(name, load);
  const { cpu = 0, memory = 0 } = podRequests(pod);
  for (const one of [load, total]) {
    one.cpu += sign * cpu;
    one.memory += (sign * memory) / MIB;
    one.pods += sign;
  }
  changes.set(claimOf.get(name), loadOf(load));
}

function note(parts: Parts, entry: TimelineEntry): void {
  const { changes, pools, claimOf, loads, allocatables } = parts;
  const { kind } = entry;
  if (kind === 'create-node-claim') pools.set(entry.nodeClaim, entry.nodePool);
  if (kind === 'instance-launched') changes.add(launched(entry, pools.get(entry.nodeClaim) ?? ''));
  if (kind === 'node-joined') {
    claimOf.set(entry.node, entry.nodeClaim);
    changes.set(entry.nodeClaim, { ...allocatables.get(entry.node), ...loadOf(loads.get(entry.node)) });
  }
  if (kind === 'node-ready' && changes.get(claimOf.get(entry.node))?.state !== 'leaving')
    changes.set(claimOf.get(entry.node), { state: 'ready' });
  if (kind === 'node-unreachable') changes.set(claimOf.get(entry.node), { state: 'lost' });
  if (kind === 'delete-node-claim')
    changes.set(entry.nodeClaim, { state: 'leaving', why: entry.reason.replaceAll('_', ' ') });
  // An instance that shuts down costs nothing more.
  if (kind === 'terminate-instance' || kind === 'instance-terminated') {
    changes.remove(entry.nodeClaim);
    pools.delete(entry.nodeClaim);
  }
  if (kind === 'node-gone') for (const map of [claimOf, loads, allocatables]) map.delete(entry.node);
}

function launched(entry: TimelineEntry & { readonly kind: 'instance-launched' }, pool: string): FleetNode {
  const { at, nodeClaim, instanceId, instanceType, zone, capacityType, priceUsdPerHour } = entry;
  const offering = { type: instanceType, zone, capacityType, usdPerHour: priceUsdPerHour };
  const empty = { cpu: 0, memory: 0, cpuRequested: 0, memoryRequested: 0, pods: 0 };
  return {
    id: nodeClaim,
    instance: instanceId,
    pool,
    ...offering,
    launchedAt: at,
    state: 'starting',
    why: '',
    ...empty,
  };
}

function loadOf(load: Load | undefined): Pick<FleetNode, 'cpuRequested' | 'memoryRequested' | 'pods'> {
  const { cpu = 0, memory = 0, pods = 0 } = load ?? {};
  return { cpuRequested: Math.round(cpu), memoryRequested: Math.round(memory), pods };
}
