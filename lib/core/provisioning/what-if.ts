import { type StateNode, stateNodes } from '../cluster/state-node.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Question } from '../scheduling/run.ts';
import type { Schedule } from '../scheduling/schedule.ts';
import { whatIfOn } from '../scheduling/solve.ts';
import { podsToPlaceFrom } from './pods-to-place.ts';
import { clusterProblem, scheduleOf } from './schedule-pods.ts';

/** Returns the schedule for the case that the named nodes are removed. *Errors:* RangeError for an unknown name. */
export type WhatIf = (gone: readonly string[]) => Schedule;

/**
 * Answers "what if these nodes were removed" any number of times. *Shape:* the result of `schedulePods` if these nodes are being
 * deleted, so provisioning will do the same. Pending pods, and pods of nodes that are being deleted, are placed too. B59, E20:
 * other capacity may replace reserved capacity. *Cost:* O(nodes + pods + instance types) for the first question, then in
 * proportion to the pods to place. *Source:* E20.
 */
export function whatIfOf(
  snapshot: ClusterSnapshot,
  nowMs: number,
  nodes: readonly StateNode[] = stateNodes(snapshot),
): WhatIf {
  let prepared: WhatIf | undefined;
  return (gone) => {
    prepared ??= prepare(snapshot, nowMs, nodes);
    return prepared(gone);
  };
}

function prepare(snapshot: ClusterSnapshot, nowMs: number, nodes: readonly StateNode[]): WhatIf {
  const toPlace = podsToPlaceFrom(snapshot, nowMs);
  const beingDeleted = nodes.filter(({ deleting }) => deleting);
  const simulated = { ...snapshot, options: { ...snapshot.options, reservedFallback: true } };
  const solved: (question: Question) => Schedule = whatIfOn({
    ...clusterProblem(simulated, nodes),
    pods: toPlace(beingDeleted).pods,
  });
  const places = new Map(nodes.map(({ name }, index) => [name, index]));
  return (names) => {
    const gone = new Set(names);
    const indices = [...gone, ...beingDeleted.map(({ name }) => name)].map((name) => placeOf(name, places));
    const inOrder = [...new Set(indices)].toSorted((a, b) => a - b).flatMap((index) => nodes[index] ?? []);
    const placing = toPlace(inOrder);
    return scheduleOf(placing, () => solved({ pods: placing.pods, removed: gone }));
  };
}

function placeOf(name: string, places: ReadonlyMap<string, number>): number {
  const place = places.get(name);
  if (place === undefined) throw new RangeError(`node ${name} is not in the snapshot; use one of its nodes`);
  return place;
}
