import { type StateNode, stateNodes } from '../cluster/state-node.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Question } from '../scheduling/run.ts';
import type { Schedule } from '../scheduling/schedule.ts';
import { whatIfOn } from '../scheduling/solve.ts';
import { podsToPlaceFrom } from './pods-to-place.ts';
import { clusterProblem, scheduleOf } from './schedule-pods.ts';

/** Where the pods that need a place would go if the nodes of these names were gone. *Errors:* RangeError for an unknown name. */
export type WhatIf = (gone: readonly string[]) => Schedule;

/**
 * Answers "what if these nodes were gone" any number of times. *Shape:* what `schedulePods` answers where these nodes are being
 * deleted, so it is what provisioning will do; pods that are pending or whose node is going anyway are placed with the others.
 * B59, E20: other capacity may stand in for reserved capacity that is held. *Cost:* nothing until the first question, which
 * costs O(nodes + pods + instance types); then in proportion to the pods to place. *Source:* E20.
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
  const going = nodes.filter(({ deleting }) => deleting);
  const simulated = { ...snapshot, options: { ...snapshot.options, reservedFallback: true } };
  const solved: (question: Question) => Schedule = whatIfOn({
    ...clusterProblem(simulated, nodes),
    pods: toPlace(going).pods,
  });
  const places = new Map(nodes.map(({ name }, index) => [name, index]));
  return (names) => {
    const gone = new Set(names);
    const asked = [...gone, ...going.map(({ name }) => name)].map((name) => placeOf(name, places));
    const inOrder = [...new Set(asked)].toSorted((a, b) => a - b).flatMap((index) => nodes[index] ?? []);
    const placing = toPlace(inOrder);
    return scheduleOf(placing, () => solved({ pods: placing.pods, gone }));
  };
}

function placeOf(name: string, places: ReadonlyMap<string, number>): number {
  const place = places.get(name);
  if (place === undefined) throw new RangeError(`there is no node ${name} in the snapshot; ask for one of its nodes`);
  return place;
}
