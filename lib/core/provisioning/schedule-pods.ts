import type { Pod } from '../../apis/kubernetes.ts';
import { optional } from '../../apis/optional.ts';
import { isOwnedByDaemonSet, isTerminal } from '../cluster/pods.ts';
import { type StateNode, stateNodes } from '../cluster/state-node.ts';
import { once } from '../kept-answers.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Refusal } from '../model/refusal.ts';
import { failingRegistrations } from '../node-pool/failing-registration.ts';
import { inOrderOfUse, whyClosed } from '../scheduling/pools/template.ts';
import type { PlannedNodeClaim, Schedule, SchedulingProblem } from '../scheduling/schedule.ts';
import { type BoundedSchedule, solve, solveWithBound } from '../scheduling/solve.ts';
import type { LaunchBrake } from './launch-brake.ts';
import { type PodsToPlace, podsToPlace } from './pods-to-place.ts';

/** Schedules the pods of a snapshot that need a node. Pods for which no node can be launched are unplaced. */
export function schedulePods(
  snapshot: ClusterSnapshot,
  nowMs: number,
  nodes: readonly StateNode[] = stateNodes(snapshot),
): Schedule {
  const toPlace = podsToPlace(snapshot, nodes, nowMs);
  return scheduleOf(toPlace, () => solve({ ...clusterProblem(snapshot, nodes, nowMs), pods: toPlace.pods }));
}

/**
 * The same, with lower bounds of the price of new nodes. A pod for which no node may be launched now (`waitOf`) gets a place only on existing
 * nodes, and those that start. *Shape:* the bounds are 0 if no pod needs a node. *Cost:* one more schedule if such pods have no place.
 */
export function schedulePodsWithBound(
  snapshot: ClusterSnapshot,
  nowMs: number,
  waitOf: LaunchBrake['waitOf'],
): BoundedSchedule {
  const nodes = stateNodes(snapshot);
  const problem = clusterProblem(snapshot, nodes, nowMs);
  let toPlace = podsToPlace(snapshot, nodes, nowMs);
  for (;;) {
    const bounded = withBound(problem, toPlace);
    const launchedFor = bounded.schedule.newClaims.flatMap(({ pods }) => pods);
    const refused = launchedFor.flatMap((pod) => {
      const wait = waitOf(pod);
      return wait === undefined ? [] : [{ pod, refusal: wait.refusal }];
    });
    if (refused.length === 0) return bounded;
    const left = new Set(refused.map(({ pod }) => pod));
    // In the next schedule, another pod that waits may need a new node.
    toPlace = { pods: toPlace.pods.filter((pod) => !left.has(pod)), refused: [...toPlace.refused, ...refused] };
  }
}

function withBound(problem: Omit<SchedulingProblem, 'pods'>, toPlace: PodsToPlace): BoundedSchedule {
  const solved = once(() => solveWithBound({ ...problem, pods: toPlace.pods }));
  return {
    schedule: scheduleOf(toPlace, () => solved().schedule),
    boundOf: (claims) => (claims.length === 0 ? 0 : solved().boundOf(claims)),
  };
}

/** The scheduling problem of the cluster, without the pods to place. */
export function clusterProblem(
  snapshot: ClusterSnapshot,
  nodes: readonly StateNode[],
  nowMs: number,
): Omit<SchedulingProblem, 'pods'> {
  const { nodePools, daemonSets, storage, namespaces, options } = snapshot;
  return {
    stateNodes: nodes,
    nodePools,
    failingPools: new Set(failingRegistrations(snapshot, nowMs).keys()),
    daemonSets,
    unboundDaemonPods: snapshot.pods.filter(isUnboundDaemonPod),
    ...optional({ storage, namespaces, options }),
  };
}

/** Most pods have a node. */
function isUnboundDaemonPod(pod: Pod): boolean {
  return pod.spec.nodeName === undefined && !isTerminal(pod) && isOwnedByDaemonSet(pod);
}

/** The schedule, with the pods for which no node can be launched. `solved` is called only if there are other pods. */
export function scheduleOf({ pods, refused }: PodsToPlace, solved: () => Schedule): Schedule {
  const ignored = refused.map(({ pod, refusal }) => ({ pod, refusals: [{ refusal }] }));
  if (pods.length === 0) return { newClaims: [], existing: [], unplaced: ignored };
  const schedule = solved();
  return { ...schedule, unplaced: [...ignored, ...schedule.unplaced] };
}

/** A NodePool of which pods get no new nodes. */
export type PassedOver = Refusal & { readonly nodePool: string };

/** B71: why the pods of these claims do not get nodes of NodePools that come first by their weight. *Cost:* O(NodePools + NodeClaims). */
export function passedOver(
  claims: readonly PlannedNodeClaim[],
  snapshot: Pick<ClusterSnapshot, 'nodePools' | 'nodeClaims'>,
  nowMs: number,
): readonly PassedOver[] {
  const failing = failingRegistrations(snapshot, nowMs);
  const used = new Set(
    claims.flatMap(({ pods, template }) => (pods.length > 0 ? template.nodePool.metadata.name : [])),
  );
  const inOrder = inOrderOfUse(snapshot.nodePools.filter((view) => whyClosed(view) === undefined));
  const names = inOrder.map(({ nodePool }) => nodePool.metadata.name);
  const last = names.findLastIndex((name) => used.has(name) && !failing.has(name));
  return names.slice(0, Math.max(0, last)).flatMap((nodePool) => {
    const why = failing.get(nodePool);
    return why === undefined ? [] : [{ nodePool, ...why }];
  });
}
