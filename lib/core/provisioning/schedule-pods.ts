import { optional } from '../../apis/optional.ts';
import { type StateNode, stateNodes } from '../cluster/state-node.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Schedule, SchedulingProblem } from '../scheduling/schedule.ts';
import { solve } from '../scheduling/solve.ts';
import { type PodsToPlace, podsToPlace } from './pods-to-place.ts';

/** Schedules the pods of a snapshot that need a node. Pods for which no node can be launched are unplaced. */
export function schedulePods(
  snapshot: ClusterSnapshot,
  nowMs: number,
  nodes: readonly StateNode[] = stateNodes(snapshot),
): Schedule {
  const toPlace = podsToPlace(snapshot, nodes, nowMs);
  return scheduleOf(toPlace, () => solve({ ...clusterProblem(snapshot, nodes), pods: toPlace.pods }));
}

/** The scheduling problem of the cluster, without the pods to place. */
export function clusterProblem(
  snapshot: ClusterSnapshot,
  nodes: readonly StateNode[],
): Omit<SchedulingProblem, 'pods'> {
  const { nodePools, daemonSets, storage, namespaces, options } = snapshot;
  return {
    stateNodes: nodes,
    nodePools,
    daemonSets,
    ...optional({ storage, namespaces, options }),
  };
}

/** The schedule, with the pods for which no node can be launched. `solved` is called only if there are other pods. */
export function scheduleOf({ pods, refused }: PodsToPlace, solved: () => Schedule): Schedule {
  const ignored = refused.map(({ pod, refusal }) => ({ pod, refusals: [{ refusal }] }));
  if (pods.length === 0) return { newClaims: [], existing: [], unplaced: ignored };
  const schedule = solved();
  return { ...schedule, unplaced: [...ignored, ...schedule.unplaced] };
}
