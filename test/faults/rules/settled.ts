import type { Pod } from '../../../lib/apis/kubernetes.ts';
import { NODE_POOL, TERMINATION_FINALIZER } from '../../../lib/apis/labels.ts';
import { DISRUPTED_TAINT, sameTaint } from '../../../lib/apis/taints.ts';
import { selectsPod } from '../../../lib/core/cluster/pod-disruption-budgets.ts';
import { instanceOf, type NodeClaimRecord, providerIdOf } from '../../../lib/core/model/node-claim-record.ts';
import { parseResources } from '../../../lib/core/resources/resources.ts';
import { budgetStatus } from '../../../lib/simulator/kubernetes/disruptions-allowed.ts';
import type { RuleOf, Watched } from '../rule.ts';
import { isOfFormerTemplate } from './marks/drift.ts';
import { nodeOf } from './nodes.ts';
import { isKeptInPlace, isTerminal } from './pods.ts';

/** What must be true at rest: instances, records, nodes and mirrors agree, nothing is open, every pod runs. */
export const everythingSettles: RuleOf = (watched) => ({
  unsettled: () => [
    ...claimsAndInstances(watched),
    ...nodesAndMirrors(watched),
    ...[...watched.open.keys()].map((id) => `decision ${id} is open`),
    ...pendingPods(watched),
    ...outdatedNodes(watched),
    ...staticPools(watched),
    ...ofDeletedPools(watched),
  ],
});

/** D31: a static NodePool has as many nodes as `spec.replicas`. `limits.nodes` also counts nodes that cannot be drained, and ends no nodes. */
function staticPools(watched: Watched): readonly string[] {
  const why: string[] = [];
  for (const [name, { spec, metadata }] of watched.simulation().state.nodePools) {
    if (spec.replicas === undefined || metadata.deletionTimestamp !== undefined) continue;
    const mine = unreleased(watched).filter(({ nodePool }) => nodePool === name);
    const active = mine.filter(({ deletion }) => deletion === undefined).length;
    const leaving = mine.length - active;
    const limit = Number(spec.limits?.['nodes'] ?? Infinity);
    if (active > spec.replicas) why.push(`static NodePool ${name} has ${active} nodes, more than ${spec.replicas}`);
    if (active < Math.min(spec.replicas, limit - leaving))
      why.push(`static NodePool ${name} has only ${active} of ${spec.replicas} nodes`);
  }
  return why;
}

/**
 * A1.29: NodeClaims are deleted with their NodePool. A restored record may have a NodePool that was replaced meanwhile, and a registered
 * node whose object was written after that belongs to the new NodePool of this name, as after a restore of the cluster.
 */
function ofDeletedPools(watched: Watched): readonly string[] {
  if (watched.story.faults.some(({ kind }) => kind === 'restore-table')) return [];
  const { nodePools, nodeClaims } = watched.simulation().state;
  const isOwned = ({ name, nodePoolUid }: NodeClaimRecord): boolean =>
    nodeClaims.get(name)?.metadata.ownerReferences?.some(({ uid }) => uid === nodePoolUid) === true;
  return unreleased(watched)
    .filter((record) => record.registeredAtMs === undefined || isOwned(record))
    .filter(({ deletion, nodePoolUid }) => deletion === undefined && nodePoolUid !== undefined)
    .filter(({ nodePool, nodePoolUid }) => nodePools.get(nodePool)?.metadata.uid !== nodePoolUid)
    .map(({ name, nodePool }) => `NodeClaim ${name} is of a deleted NodePool ${nodePool}`);
}

function alive({ simulation }: Watched) {
  return simulation()
    .ec2.instances()
    .filter(({ cluster, endedAtMs }) => cluster === 'simulated' && endedAtMs === undefined);
}

function unreleased({ records }: Watched): readonly NodeClaimRecord[] {
  return [...records.values()].filter(({ releasedAtMs }) => releasedAtMs === undefined);
}

function claimsAndInstances(watched: Watched): readonly string[] {
  const running = new Set(alive(watched).map(({ id }) => id));
  const claimed = new Set<string>();
  const why: string[] = [];
  for (const record of unreleased(watched)) {
    const id = instanceOf(record)?.id ?? '';
    claimed.add(id);
    if (record.deletion !== undefined) {
      if (!isHeld(watched, record)) why.push(`NodeClaim ${record.name} is not released: ${record.deletion.reason}`);
    } else if (!running.has(id)) why.push(`NodeClaim ${record.name} has no running instance: ${record.launch.kind}`);
    else if (record.initializedAtMs === undefined) why.push(`NodeClaim ${record.name} is not initialized`);
  }
  for (const id of running) if (!claimed.has(id)) why.push(`instance ${id} has no record`);
  return why;
}

/** Whether a pod that may not be evicted holds the node, and the node has no deadline. */
function isHeld(watched: Watched, record: NodeClaimRecord): boolean {
  const { simulation, startMs, nowMs } = watched;
  const { state } = simulation();
  const instance = instanceOf(record);
  if (instance === undefined) return false;
  if (record.deletion?.deadlineMs !== undefined) return startMs() + nowMs() < record.deletion.deadlineMs;
  const node = nodeOf(watched, record);
  const pods = [...state.pods.values()].filter(({ spec }) => spec.nodeName === node?.metadata.name);
  return pods.some(
    (pod) =>
      isKeptInPlace(pod, startMs() + nowMs()) ||
      state.podDisruptionBudgets.some(
        (one) => selectsPod(one, pod) && budgetStatus(one, state).disruptionsAllowed === 0,
      ),
  );
}

function nodesAndMirrors(watched: Watched): readonly string[] {
  const { state } = watched.simulation();
  const claims = new Map(unreleased(watched).map((record) => [record.name, record]));
  const byProvider = new Map(
    [...claims.values()].flatMap((record) => {
      const instance = instanceOf(record);
      return instance === undefined ? [] : [[providerIdOf(instance), record] as const];
    }),
  );
  const why: string[] = [];
  for (const name of state.nodeClaims.keys()) if (!claims.has(name)) why.push(`NodeClaim object ${name} has no record`);
  for (const { name, deletion } of claims.values())
    if (!state.nodeClaims.has(name) && deletion === undefined) why.push(`NodeClaim ${name} has no object`);
  for (const { metadata, spec } of state.nodes.values()) {
    const isOurs = metadata.labels?.[NODE_POOL] !== undefined || metadata.finalizers?.includes(TERMINATION_FINALIZER);
    const record = byProvider.get(spec?.providerID ?? '');
    if (isOurs === true && record === undefined) why.push(`node ${metadata.name} has no NodeClaim`);
    const isTainted = spec?.taints?.some((taint) => sameTaint(taint, DISRUPTED_TAINT)) === true;
    if (isTainted && record?.deletion === undefined) why.push(`node ${metadata.name} has the taint of a removal`);
  }
  return why;
}

/**
 * D34: a node that was launched before the last edit of its EC2NodeClass, or of the template of its NodePool, is replaced, unless its
 * NodePool is deleted, the limits have no room for its replacement, one of its pods must stay, or the removal of another node, which waits
 * for a pod, uses the budget. The other NodePools have room for few nodes.
 */
function outdatedNodes(watched: Watched): readonly string[] {
  if (!hasGeneralPool(watched) || isFull(watched)) return [];
  const ofPool = unreleased(watched).filter(({ nodePool }) => nodePool === 'general');
  if (ofPool.some((record) => record.deletion !== undefined && isHeld(watched, record))) return [];
  const whyOutdated = outdatedBy(watched);
  return ofPool.flatMap((record) => {
    const why = record.deletion === undefined && !isHeld(watched, record) ? whyOutdated(record) : undefined;
    return why === undefined ? [] : [`NodeClaim ${record.name} is older than the last edit of its ${why}`];
  });
}

/** What was edited after the launch. */
function outdatedBy(watched: Watched): (record: NodeClaimRecord) => string | undefined {
  const { story, startMs } = watched;
  const edits = story.faults.filter(({ kind }) => kind === 'node-class').map(({ fromMs }) => fromMs);
  // The clock of the function that launched the instance may be wrong.
  const launchedMs = new Map(alive(watched).map(({ id, launchedAtMs }) => [id, launchedAtMs]));
  return (record) => {
    if (isOfFormerTemplate(watched, record)) return 'NodePool';
    const isOld = (launchedMs.get(instanceOf(record)?.id ?? '') ?? Infinity) < startMs() + Math.max(...edits);
    return isOld ? 'EC2NodeClass' : undefined;
  };
}

/** Pods that do not run although the limits of the NodePools have room. */
function pendingPods(watched: Watched): readonly string[] {
  if (!hasGeneralPool(watched) || isFull(watched)) return [];
  return notRunning(watched).map(
    ({ metadata, spec }) =>
      `pod ${metadata.name} does not run${spec.nodeName === undefined ? '' : ` on ${spec.nodeName}`}`,
  );
}

function hasGeneralPool({ simulation }: Watched): boolean {
  const general = simulation().state.nodePools.get('general');
  return general !== undefined && general.metadata.deletionTimestamp === undefined;
}

/** Pods that do not run while the limits of the general NodePool have no room. */
export function podsOverLimits(watched: Watched): readonly Pod[] {
  return isFull(watched) ? notRunning(watched) : [];
}

function notRunning({ simulation }: Watched): readonly Pod[] {
  const { state } = simulation();
  return [...state.pods.values()].filter((pod) => {
    const { spec, status, metadata } = pod;
    return (
      status?.phase !== 'Running' &&
      !isTerminal(pod) &&
      metadata.namespace !== 'kube-system' &&
      metadata.deletionTimestamp === undefined &&
      (spec.nodeName === undefined || state.nodes.has(spec.nodeName))
    );
  });
}

/** Whether the limits of the general NodePool have no room for another node of the smallest type beside these claims. */
export function isFull(watched: Watched, claims = unreleased(watched)): boolean {
  const { state } = watched.simulation();
  const limits = parseResources(state.nodePools.get('general')?.spec.limits);
  const mine = claims.filter(({ nodePool }) => nodePool === 'general');
  const cpu = mine.reduce((sum, { types, launch, holds }) => {
    const type =
      launch.kind === 'launched' ? types.find(({ name }) => name === launch.instance.instanceType) : undefined;
    return sum + (type?.capacity['cpu'] ?? holds['cpu'] ?? 0);
  }, 0);
  return (limits['nodes'] ?? Infinity) < mine.length + 1 || (limits['cpu'] ?? Infinity) < cpu + 2_000;
}
