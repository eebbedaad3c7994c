import { counted } from '../../../apis/counted.ts';
import { MINUTE_MS, timeIn } from '../../../apis/formats/time.ts';
import type { Node } from '../../../apis/kubernetes.ts';
import { NODE_POOL } from '../../../apis/labels.ts';
import { isNodeReady } from '../../cluster/state-node.ts';
import { type Blocked, requeueAt, type Verdict } from '../../model/decision.ts';
import { type Instance, instanceOf, type NodeClaimRecord } from '../../model/node-claim-record.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { nodeOfClaim } from '../registration.ts';
import { type RepairPolicy, type UnhealthyCondition, unhealthyConditions } from './repair-policies.ts';

/** D30: the share of the nodes of a NodePool that may be unhealthy while nodes are replaced, rounded up to a whole node. */
const UNHEALTHY_PERCENT = 20;
/** Kubernetes stops evictions in a zone with more than two nodes that are not Ready, if these are 55 % of its nodes or more. */
const FEW_NODES = 2;
const NOT_READY_PERCENT = 55;

/** The nodes and claims of a cluster. */
export interface RepairView {
  /** Claims that are not released. */
  readonly records: readonly NodeClaimRecord[];
  /** All nodes of the cluster, also those that Kerf did not launch. */
  readonly nodes: readonly Node[];
  readonly policies: readonly RepairPolicy[];
  /** C36: a node in one of these zones is not replaced. */
  readonly shifted: ReadonlySet<string>;
}

/** The verdict on one unhealthy node. */
export interface NodeRepair extends Verdict {
  readonly record: NodeClaimRecord;
  readonly node: Node;
}

interface Unhealthy {
  readonly record: NodeClaimRecord;
  readonly instance: Instance;
  readonly node: Node;
  readonly worst: UnhealthyCondition;
  readonly sinceMs: number;
  readonly dueAtMs: number;
}

/**
 * Decides which unhealthy nodes are replaced. A node is replaced when it has had one of the conditions for longer than its
 * tolerance. The deadline of its claim is then now: pods are deleted without regard to PodDisruptionBudgets and do-not-disrupt.
 * *Shape:* one entry for each unhealthy node of a claim, ordered as the claims: an action, a refusal, or the time at which its
 * tolerance ends. *Cost:* O(nodes + claims). *Source:* D29, D30.
 */
export function decideRepairs(view: RepairView, nowMs: number): readonly NodeRepair[] {
  const { records, nodes, policies } = view;
  const unhealthy = records
    .flatMap((record) => whatIsWrong(record, nodes, policies) ?? [])
    .filter(({ record, dueAtMs }) => !endsAnyway(record, Math.max(dueAtMs, nowMs)));
  const brakes = brakesOf(view);
  return unhealthy.map(({ record, node, ...wrong }) => {
    const nothing = { record, node, actions: [], blocked: [], due: [] };
    if (nowMs < wrong.dueAtMs) return { ...nothing, due: [requeueAt(wrong.dueAtMs)] };
    const why = brakes(record, wrong.instance);
    if (why !== undefined) return { ...nothing, blocked: [blockedNode(record, node, why)] };
    return { ...nothing, actions: [deletionOf({ record, node, ...wrong }, nowMs)] };
  });
}

/** Whether the claim is being deleted, and its pods are deleted by this time without a repair. */
function endsAnyway({ deletion }: NodeClaimRecord, byMs: number): boolean {
  if (deletion === undefined) return false;
  return deletion.terminateRequestedAtMs !== undefined || (deletion.deadlineMs ?? Infinity) <= byMs;
}

/** The condition whose tolerance ends first. *Shape:* undefined for a node that is healthy or not registered. */
function whatIsWrong(
  record: NodeClaimRecord,
  nodes: readonly Node[],
  policies: readonly RepairPolicy[],
): Unhealthy | undefined {
  const instance = instanceOf(record);
  const node = nodeOfClaim(nodes, record);
  if (instance === undefined || node === undefined || record.registeredAtMs === undefined) return undefined;
  const timed = unhealthyConditions(node, policies).flatMap((worst) => {
    const sinceMs = timeIn(worst.condition.lastTransitionTime);
    if (sinceMs === undefined) return [];
    return [{ record, instance, node, worst, sinceMs, dueAtMs: sinceMs + worst.policy.toleranceMs }];
  });
  return timed.toSorted((a, b) => a.dueAtMs - b.dueAtMs)[0];
}

function deletionOf({ record, node, worst, sinceMs }: Unhealthy, nowMs: number): Verdict['actions'][number] {
  const { type, status, reason } = worst.condition;
  const minutes = counted(Math.floor((nowMs - sinceMs) / MINUTE_MS), 'minute');
  const cause = reason === undefined ? '' : ` (${reason})`;
  return {
    kind: 'delete-node-claim',
    nodeClaim: record.name,
    reason: 'unhealthy',
    message: `condition ${type} of node ${node.metadata.name} has been ${status} for ${minutes}${cause}`,
    deadlineMs: nowMs,
  };
}

function blockedNode({ nodePool }: NodeClaimRecord, { metadata }: Node, why: Refusal): Blocked {
  return { subject: { kind: 'Node', name: metadata.name }, nodePool, ...why };
}

/** D30: why an unhealthy node is not replaced, although its tolerance has ended. */
function brakesOf({
  nodes,
  policies,
  shifted,
}: RepairView): (record: NodeClaimRecord, instance: Instance) => Refusal | undefined {
  const outage = controlPlaneOutage(nodes);
  const pools = Map.groupBy(nodes, ({ metadata }) => metadata.labels?.[NODE_POOL] ?? '');
  const refusals = new Map(
    [...pools].map(([nodePool, members]) => [nodePool, tooManyUnhealthy(nodePool, members, policies)]),
  );
  return ({ nodePool }, { zone }) => {
    if (shifted.has(zone))
      return refusal('ZonalShift', `the cluster is shifted away from ${zone}, so the unhealthy node stays`);
    return outage ?? refusals.get(nodePool);
  };
}

/** If most nodes of a cluster stop being Ready, the cause is probably not in the nodes: new nodes would not be Ready either. */
function controlPlaneOutage(nodes: readonly Node[]): Refusal | undefined {
  const notReady = nodes.filter((node) => !isNodeReady(node)).length;
  if (notReady <= FEW_NODES || notReady * 100 < nodes.length * NOT_READY_PERCENT) return undefined;
  return refusal(
    'NodeRepairBlocked',
    `${notReady} of ${counted(nodes.length, 'node')} of the cluster are not Ready: check the network between nodes and control plane`,
    { notReady, nodes: nodes.length, percent: NOT_READY_PERCENT },
  );
}

function tooManyUnhealthy(
  nodePool: string,
  nodes: readonly Node[],
  policies: readonly RepairPolicy[],
): Refusal | undefined {
  const unhealthy = nodes.filter((node) => unhealthyConditions(node, policies).length > 0).length;
  const allowed = Math.ceil((nodes.length * UNHEALTHY_PERCENT) / 100);
  if (unhealthy <= allowed) return undefined;
  return refusal(
    'NodeRepairBlocked',
    `${unhealthy} of ${counted(nodes.length, 'node')} of NodePool ${nodePool} are unhealthy, at most ${allowed} may be (${UNHEALTHY_PERCENT} %): find the common cause`,
    { unhealthy, nodes: nodes.length, allowed },
  );
}
