import type { ClusterSnapshot } from '../cluster/snapshot.ts';
import { type StateNode, stateNodes } from '../cluster/state-node.ts';
import type { Schedule } from '../scheduling/schedule.ts';
import { solve } from '../scheduling/solve.ts';
import { podsToPlace } from './pods-to-place.ts';

/** Where the pods of a snapshot that need a place would go; those that no node is made for are among the unplaced. */
export function schedulePods(
  snapshot: ClusterSnapshot,
  nowMs: number,
  nodes: readonly StateNode[] = stateNodes(snapshot),
): Schedule {
  const { nodePools, daemonSets, storage, namespaces, options } = snapshot;
  const { pods, refused } = podsToPlace(snapshot, nodes, nowMs);
  const ignored = refused.map(({ pod, refusal }) => ({ pod, refusals: [{ refusal }] }));
  if (pods.length === 0) return { newClaims: [], existing: [], unplaced: ignored };
  const schedule = solve({
    pods,
    stateNodes: nodes,
    nodePools,
    daemonSets,
    ...(storage === undefined ? {} : { storage }),
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(options === undefined ? {} : { options }),
  });
  return { ...schedule, unplaced: [...ignored, ...schedule.unplaced] };
}
