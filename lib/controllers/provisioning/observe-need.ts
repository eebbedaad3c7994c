import { type Pod, podKey } from '../../apis/kubernetes.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { canWait } from '../../core/cluster/at-rest.ts';
import { isProvisionable, isWorkload } from '../../core/cluster/pods.ts';
import { inParallel } from '../../core/in-parallel.ts';
import { type NodeClaimRecord, realPods } from '../../core/model/node-claim-record.ts';
import { readOr } from '../../core/observed.ts';
import { isActiveBuffer } from '../../core/provisioning/buffer-pods.ts';
import { awaitedNodes } from '../../core/provisioning/follow-plan/pod-nominations.ts';
import { missingNodes, staticCount } from '../../core/provisioning/static-capacity.ts';
import type { Readings } from '../observe/readings.ts';
import type { HasClock, HasSettings, ReadsCluster } from '../run/ports.ts';
import { withoutGoneNominations } from './gone-nodes.ts';

type Claims = readonly NodeClaimRecord[];
type NeedPorts = ReadsCluster & HasClock & HasSettings;

/** What provisioning has to do. */
type Need =
  | { readonly kind: 'decision' }
  /** Nothing but nominations: every pending pod waits for the node that is planned for it. Without pending pods, nothing. */
  | { readonly kind: 'nominations'; readonly awaited: ReadonlyMap<NodeClaimRecord, readonly Pod[]> };

const DECISION: Need = { kind: 'decision' };
/** The nodes whose pods are listed one by one. With more nodes, a decision lists all pods. */
const MAX_NODES = 20;
const LISTS_AT_ONCE = 10;

/**
 * Whether a decision is needed: for pending pods for which no node starts, for nodes that are being removed with pods to move (B1), static
 * NodePools that lack nodes (D31), or active CapacityBuffers (B65). *Cost:* a list of unbound pods and the NodeClaims; a list of the pods
 * of each node that has joined and is not initialized, or is being removed.
 */
export async function observeNeed(ports: NeedPorts, listClaims: () => Promise<Claims>, log: Readings): Promise<Need> {
  const { ignoreAtZero } = ports.settings;
  const nowMs = ports.clock.now();
  const [unbound, records] = await Promise.all([ports.cluster.listUnboundPods(), listClaims()]);
  const pending = (await withoutGoneNominations(ports, unbound, log)).filter(isProvisionable);
  const { awaited, others } = awaitedNodes(pending, records, nowMs);
  if (others.some((pod) => !canWait(pod, ignoreAtZero, nowMs))) return DECISION;
  // Pods that can wait are placed only on existing or planned nodes.
  if (others.length > 0 && (records.length > 0 || (await ports.cluster.listNodes()).length > 0)) return DECISION;
  const joined = [...awaited.keys()].filter(({ nodeName }) => nodeName !== undefined);
  const removed = records.filter(({ deletion, nodeName }) => deletion !== undefined && nodeName !== undefined);
  if (joined.length + removed.length > MAX_NODES) return DECISION;
  let hasOthers = false;
  await inParallel([...joined, ...removed], LISTS_AT_ONCE, async (record) => {
    const expected = record.deletion === undefined ? realPods(record) : [];
    if (await hasPods(ports, { record, expected }, log)) hasOthers = true;
  });
  if (hasOthers) return DECISION;
  const { capacityBuffer, staticCapacity } = ports.settings.featureGates;
  if (staticCapacity && (await ports.cluster.listNodePools()).some((nodePool) => lacksNodes(nodePool, records)))
    return DECISION;
  if (capacityBuffer) {
    const buffers = await log.observe('CapacityBuffers', async () => ports.cluster.listCapacityBuffers());
    if (readOr(buffers, []).some(isActiveBuffer)) return DECISION;
  }
  return { kind: 'nominations', awaited };
}

/** Whether the node has other pods than the expected ones, beside those of DaemonSets. What cannot be read may be one. */
async function hasPods(
  { cluster }: ReadsCluster,
  { record, expected }: { readonly record: NodeClaimRecord; readonly expected: readonly string[] },
  log: Readings,
): Promise<boolean> {
  const { nodeName = '' } = record;
  const pods = await log.observe(`the pods of node ${nodeName}`, async () => cluster.listPodsOnNode(nodeName));
  if (pods.kind === 'unread') return true;
  return pods.value.some((pod) => isWorkload(pod) && !expected.includes(podKey(pod)));
}

function lacksNodes(nodePool: NodePool, records: Claims): boolean {
  const count = staticCount(nodePool, records);
  return count !== undefined && missingNodes(count) > 0;
}
