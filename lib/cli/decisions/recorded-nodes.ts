import { CAPACITY_TYPE, INSTANCE_TYPE, ZONE } from '../../apis/labels.ts';
import { type StateNode, stateNodes } from '../../core/cluster/state-node.ts';
import type { DecisionRecord, RecordedAction } from '../../core/decisions/decision-record.ts';
import { nodePrice } from '../../core/disruption/node-price.ts';
import type { ClusterSnapshot } from '../../core/model/cluster-snapshot.ts';
import { podRequests } from '../../core/resources/pod-requests.ts';
import { add } from '../../core/resources/resources.ts';
import { type FleetNode, UNKNOWN_NODE } from '../../page/fleet/frame.ts';
import { type ChangedNodes, nodeChanges } from '../live/node-changes.ts';

const MIB = 1_024 * 1_024;

/** The nodes of a recorded cluster: a snapshot has all of them, and the actions of records change them in between. */
export interface RecordedNodes {
  /** What the cluster had when a decision was made on this snapshot. */
  snapshot(snapshot: ClusterSnapshot): void;
  /** What the actions of the record change. */
  record(record: Pick<DecisionRecord, 'actions' | 'atMs'>): void;
  take(): ChangedNodes;
  usdPerHour(): number;
}

/** *Units:* times of the nodes are seconds from `startMs`. */
export function recordedNodes(startMs: number): RecordedNodes {
  const changes = nodeChanges();
  const known = new Map<string, number>();
  const put = (node: FleetNode): void => {
    changes.add(node);
    changes.set(node.id, node);
    known.set(node.id, node.usdPerHour);
  };
  const remove = (id: string): void => {
    changes.remove(id);
    known.delete(id);
  };
  return {
    snapshot(snapshot) {
      const now = stateNodes(snapshot).map((node) => fleetNode(node, snapshot, startMs));
      const ids = new Set(now.map(({ id }) => id));
      for (const id of [...known.keys()].filter((one) => !ids.has(one))) remove(id);
      for (const node of now) put({ ...node, why: changes.get(node.id)?.why || node.why });
    },
    record({ actions, atMs }) {
      for (const action of actions)
        for (const id of action.nodeClaims ?? []) {
          if (action.kind === 'create-node-claim') put(plannedNode(id, action, (atMs - startMs) / 1_000));
          else if (action.kind === 'terminate-instance' || action.kind === 'release-node-claim') remove(id);
          else changes.set(id, changeOf(action));
        }
    },
    take: () => changes.take(),
    usdPerHour: () => [...known.values()].reduce((sum, price) => sum + price, 0),
  };
}

function fleetNode(stateNode: StateNode, { nodePools }: ClusterSnapshot, startMs: number): FleetNode {
  const { name, nodeClaim, nodePool = '', labels, allocatable, pods, initialized, deleting } = stateNode;
  const requested = add(...pods.map(podRequests));
  const launch = nodeClaim?.launch;
  const isJoined = stateNode.node !== undefined;
  return {
    id: nodeClaim?.name ?? name,
    instance: launch?.kind === 'launched' ? launch.instance.id : '',
    pool: nodePool,
    type: labels[INSTANCE_TYPE] ?? '',
    zone: labels[ZONE] ?? '',
    capacityType: labels[CAPACITY_TYPE] ?? '',
    usdPerHour: nodePrice(stateNode, nodePools),
    launchedAt: ((nodeClaim?.createdAtMs ?? startMs) - startMs) / 1_000,
    state: stateOf({ initialized, deleting }),
    why: '',
    cpu: isJoined ? (allocatable['cpu'] ?? 0) : 0,
    memory: isJoined ? Math.round((allocatable['memory'] ?? 0) / MIB) : 0,
    cpuRequested: requested['cpu'] ?? 0,
    memoryRequested: Math.round((requested['memory'] ?? 0) / MIB),
    pods: pods.length,
  };
}

function stateOf({ initialized, deleting }: Pick<StateNode, 'initialized' | 'deleting'>): FleetNode['state'] {
  if (deleting) return 'leaving';
  return initialized ? 'ready' : 'starting';
}

/** A NodeClaim that a decision has created, with the cheapest type of its options. */
function plannedNode(id: string, action: RecordedAction, launchedAt: number): FleetNode {
  const { nodePool = '', instanceType = '', zone = '', capacityType = '', usdPerHour = 0 } = action;
  return { ...UNKNOWN_NODE, id, pool: nodePool, type: instanceType, zone, capacityType, usdPerHour, launchedAt };
}

function changeOf({ kind, reason = '', instance }: RecordedAction): Partial<FleetNode> {
  if (kind === 'delete-node-claim') return { state: 'leaving', why: reason };
  if (kind === 'initialize-node') return { state: 'ready' };
  return kind === 'register-node' && instance !== undefined ? { instance } : {};
}
