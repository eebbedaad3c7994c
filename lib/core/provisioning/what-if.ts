import type { Pod } from '../../apis/kubernetes.ts';
import { type StateNode, stateNodes } from '../cluster/state-node.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { type Bounds, boundsOn } from '../scheduling/bounds.ts';
import { indexForMany } from '../scheduling/cluster-index.ts';
import type { QuestionOptions } from '../scheduling/run.ts';
import type { Schedule } from '../scheduling/schedule.ts';
import { whatIfOn } from '../scheduling/solve.ts';
import { podsToPlaceFrom } from './pods-to-place.ts';
import { clusterProblem, scheduleOf } from './schedule-pods.ts';

/** Returns the schedule for the case that the named nodes are removed. *Errors:* RangeError for an unknown name. */
export type WhatIf = (gone: readonly string[], options?: QuestionOptions) => Schedule;

/** What happens if nodes are removed. Both parts share one index of the cluster, which is built on first use. */
export interface Simulation {
  readonly whatIf: WhatIf;
  /** *Cost:* far less than a question. */
  readonly bounds: Bounds;
}

/**
 * Answers "what if these nodes were removed" any number of times. *Shape:* the result of `schedulePods` if these nodes are being
 * deleted, so provisioning will do the same. Pending pods, and pods of nodes that are being deleted, are placed too. B59, E20:
 * other capacity may replace reserved capacity. *Cost:* O(nodes + pods + instance types) for the first question, then in
 * proportion to the pods to place. *Source:* E20.
 */
export function whatIfOf(snapshot: ClusterSnapshot, nowMs: number, nodes?: readonly StateNode[]): WhatIf {
  return simulationOf(snapshot, nowMs, nodes).whatIf;
}

/** The same, with bounds. */
export function simulationOf(
  snapshot: ClusterSnapshot,
  nowMs: number,
  nodes: readonly StateNode[] = stateNodes(snapshot),
): Simulation {
  let prepared: { readonly whatIf: WhatIf; readonly bounds: () => Bounds } | undefined;
  let bounds: Bounds | undefined;
  const index = () => (prepared ??= prepare(snapshot, nowMs, nodes));
  const known = (): Bounds => (bounds ??= index().bounds());
  return {
    whatIf: (gone, options) => index().whatIf(gone, options),
    bounds: {
      priceOfOneClaim: (gone) => known().priceOfOneClaim(gone),
      priceOfHomeless: (node) => known().priceOfHomeless(node),
      worthOf: (node) => known().worthOf(node),
    },
  };
}

function prepare(
  snapshot: ClusterSnapshot,
  nowMs: number,
  nodes: readonly StateNode[],
): { readonly whatIf: WhatIf; readonly bounds: () => Bounds } {
  const toPlace = podsToPlaceFrom(snapshot, nowMs);
  const beingDeleted = nodes.filter(({ deleting }) => deleting);
  const simulated = { ...snapshot, options: { ...snapshot.options, reservedFallback: true } };
  const cluster = indexForMany({ ...clusterProblem(simulated, nodes), pods: toPlace(beingDeleted).pods });
  const solved = whatIfOn(cluster);
  const places = new Map(nodes.map(({ name }, index) => [name, index]));
  const whatIf: WhatIf = (names, options) => {
    const gone = new Set(names);
    const indices = [...gone, ...beingDeleted.map(({ name }) => name)].map((name) => placeOf(name, places));
    const inOrder = [...new Set(indices)].toSorted((a, b) => a - b).flatMap((index) => nodes[index] ?? []);
    const placing = toPlace(inOrder);
    return scheduleOf(placing, () => solved({ ...options, pods: placing.pods, removed: gone }));
  };
  const pending = new Set<Pod>(toPlace([]).pods);
  const moved = (node: StateNode): readonly Pod[] => toPlace([node]).pods.filter((pod) => !pending.has(pod));
  return { whatIf, bounds: () => boundsOn(cluster, ({ stateNode }) => moved(stateNode)) };
}

function placeOf(name: string, places: ReadonlyMap<string, number>): number {
  const place = places.get(name);
  if (place === undefined) throw new RangeError(`node ${name} is not in the snapshot; use one of its nodes`);
  return place;
}
