import { formatTime } from '../../apis/formats/time.ts';
import { type Pod, type PodDisruptionBudget, podKey } from '../../apis/kubernetes.ts';
import { DO_NOT_DISRUPT } from '../../apis/labels.ts';
import type { DisruptionReason, NodePool } from '../../apis/node-pool.ts';
import { holds, selectsPod } from '../cluster/pod-disruption-budgets.ts';
import { isActive, isDrainable, isKeptInPlace, isOwnedByDaemonSet, keptUntilMs } from '../cluster/pods.ts';
import { activePods, isNodeReady, type StateNode } from '../cluster/state-node.ts';
import { isShifted } from '../instance-type/offerings/unavailable.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { type DisruptionCandidate, isReplacing } from '../model/disruption-command.ts';
import { instanceOf, type NodeClaimRecord } from '../model/node-claim-record.ts';
import { type Refusal, refusal } from '../model/refusal.ts';
import { unreadableClaimsOf } from '../provisioning/unreadable-claims.ts';
import { nodePrice } from './node-price.ts';

/** A node that a method may disrupt, with its NodePool and NodeClaim. */
export interface Candidate {
  readonly stateNode: StateNode;
  readonly nodeClaim: NodeClaimRecord;
  readonly nodePool: NodePool;
  /** E18: for the next hour; 0 if unknown. */
  readonly priceUsdPerHour: number;
}

/** Returns the node as a candidate, or why it is not one (E3). *Shape:* undefined if Kerf does not manage it, or it is starting, being deleted, or part of a command. */
function candidateOf(stateNode: StateNode, snapshot: ClusterSnapshot, nowMs: number): Candidate | Refusal | undefined {
  const { nodeClaim, node } = stateNode;
  if (nodeClaim === undefined || node === undefined || !stateNode.initialized || stateNode.deleting) return undefined;
  if (inCommand(snapshot, nodeClaim.name) || isReplacement(snapshot, nodeClaim.name)) return undefined;
  const { finding } = nodeClaim.consistency ?? {};
  // Promise 4: the instance would not be terminated.
  if (finding?.reason === 'InstanceNotTagged') return refusal(finding.reason, finding.message);
  const view = snapshot.nodePools.find(({ nodePool }) => nodePool.metadata.name === nodeClaim.nodePool);
  if (view === undefined) return refusal('NodePoolNotFound', `its NodePool ${nodeClaim.nodePool} does not exist`);
  const zone = instanceOf(nodeClaim)?.zone ?? '';
  // C36: voluntary disruption in the zone waits until the shift ends.
  if (isShifted(zone, snapshot.unavailable)) return refusal('ZonalShift', `the cluster is shifted away from ${zone}`);
  if (snapshot.nominated.includes(stateNode.name)) return refusal('Nominated', 'it is promised to pending pods');
  if (node.metadata.annotations?.[DO_NOT_DISRUPT] === 'true')
    return refusal('DoNotDisrupt', `the node has the annotation ${DO_NOT_DISRUPT}`);
  const pod = whyPodsBlock(activePods(stateNode), snapshot.podDisruptionBudgets, nowMs);
  return (
    pod ?? {
      stateNode,
      nodeClaim,
      nodePool: view.nodePool,
      priceUsdPerHour: nodePrice(stateNode, snapshot.nodePools),
    }
  );
}

/** E5: whether pods that must not be evicted block a method. They do not block an eventual one if their node has a terminationGracePeriod. */
export type DisruptionClass = 'graceful' | 'eventual';

export function classOf(reason: DisruptionReason): DisruptionClass {
  return reason === 'Drifted' ? 'eventual' : 'graceful';
}

/** E5: the node is removed at its deadline, whatever its pods need. */
export function ignoresPodBlockers({ nodeClaim }: Pick<StateNode, 'nodeClaim'>, as: DisruptionClass): boolean {
  return as === 'eventual' && nodeClaim?.spec.terminationGracePeriod !== undefined;
}

/** As `candidateOf`, for a class of methods. *Source:* E5. */
export function candidateFor(
  as: DisruptionClass,
  stateNode: StateNode,
  { snapshot, nowMs }: { readonly snapshot: ClusterSnapshot; readonly nowMs: number },
): Candidate | Refusal | undefined {
  if (!ignoresPodBlockers(stateNode, as)) return candidateOf(stateNode, snapshot, nowMs);
  const judged = candidateOf({ ...stateNode, pods: [] }, snapshot, nowMs);
  return isCandidate(judged) ? { ...judged, stateNode } : judged;
}

export function isCandidate(one: Candidate | Refusal | undefined): one is Candidate {
  return one !== undefined && 'stateNode' in one;
}

/** E4: returns why a pod must not be evicted, or why its PodDisruptionBudget does not allow the eviction. */
function whyPodsBlock(
  pods: readonly Pod[],
  budgets: readonly PodDisruptionBudget[],
  nowMs: number,
): Refusal | undefined {
  for (const pod of pods.filter(isActive)) {
    if (isKeptInPlace(pod, nowMs)) {
      const untilMs = keptUntilMs(pod);
      const until = Number.isFinite(untilMs) ? ` until ${formatTime(untilMs)}` : '';
      return refusal('DoNotDisrupt', `pod ${podKey(pod)} has the annotation ${DO_NOT_DISRUPT}${until}`);
    }
    if (!isDrainable(pod) || isOwnedByDaemonSet(pod)) continue;
    const mine = budgets.filter((budget) => selectsPod(budget, pod));
    if (mine.length > 1)
      return refusal('MultiplePDBs', `pod ${podKey(pod)} has ${mine.length} PodDisruptionBudgets`, {
        budgets: mine.length,
      });
    if (mine.some((budget) => holds(budget, pod))) {
      return refusal('PDB', `PodDisruptionBudget ${mine[0]?.metadata.name ?? ''} allows no disruption`, {
        disruptionsAllowed: 0,
      });
    }
  }
  return undefined;
}

function inCommand(snapshot: ClusterSnapshot, nodeClaim: string): boolean {
  return snapshot.commands.some((command) => command.candidates.some((one) => one.nodeClaim === nodeClaim));
}

/** E34: a replacement has no pods until the candidates of its command are drained. */
function isReplacement({ commands }: ClusterSnapshot, nodeClaim: string): boolean {
  return commands.some((one) => isReplacing(one) && one.replacementClaims.includes(nodeClaim));
}

/** E7: counts the nodes of a pool for its budgets, and those that are being disrupted, are not ready, or may be so: their record cannot be read. *Cost:* O(nodes + commands). */
export function poolCounts(
  nodePool: string,
  stateNodes: readonly StateNode[],
  snapshot: ClusterSnapshot,
): { readonly nodes: number; readonly disrupting: number; readonly unreadable: number } {
  const mine = stateNodes.filter(
    ({ nodeClaim, initialized }) =>
      nodeClaim?.nodePool === nodePool && initialized && nodeClaim.deletion?.terminateRequestedAtMs === undefined,
  );
  const inCommands = new Set(snapshot.commands.flatMap(({ candidates }) => candidates.map((one) => one.nodeClaim)));
  const busy = mine.filter(
    ({ node, nodeClaim, deleting }) =>
      deleting || (node !== undefined && !isNodeReady(node)) || inCommands.has(nodeClaim?.name ?? ''),
  );
  const unreadable = unreadableClaimsOf(nodePool, snapshot);
  return { nodes: mine.length, disrupting: busy.length + unreadable, unreadable };
}

/** Returns the candidate in the form that a command stores. */
export function describeCandidate({ stateNode, nodeClaim, priceUsdPerHour }: Candidate): DisruptionCandidate {
  const instance = instanceOf(nodeClaim);
  return {
    nodeClaim: nodeClaim.name,
    nodePool: nodeClaim.nodePool,
    node: stateNode.name,
    instanceType: instance?.instanceType ?? 'unknown',
    zone: instance?.zone ?? 'unknown',
    priceUsdPerHour,
  };
}

/** E12, E19: why nodes of a static NodePool are not removed because they cost too much. *Shape:* undefined for other NodePools. */
export function whyStatic({ metadata, spec: { replicas } }: NodePool): Refusal | undefined {
  if (replicas === undefined) return undefined;
  const message = `NodePool ${metadata.name} has a fixed number of nodes (spec.replicas: ${replicas})`;
  return refusal('StaticCapacity', message, { replicas });
}
