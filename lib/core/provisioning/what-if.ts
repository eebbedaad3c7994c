import { type Pod, podKey } from '../../apis/kubernetes.ts';
import { type StateNode, stateNodes } from '../cluster/state-node.ts';
import { once, onceFor } from '../kept-answers.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { type Bounds, boundsOn } from '../scheduling/bounds.ts';
import { type ClusterChange, type ClusterIndex, indexForMany } from '../scheduling/cluster-index.ts';
import type { QuestionOptions } from '../scheduling/run.ts';
import type { Schedule } from '../scheduling/schedule.ts';
import { whatIfOn } from '../scheduling/solve.ts';
import { type PodsToPlace, podsToPlaceFrom } from './pods-to-place.ts';
import { clusterProblem, scheduleOf } from './schedule-pods.ts';

/** Returns the schedule for the case that the named nodes are removed. *Errors:* RangeError for an unknown name. */
export type WhatIf = (gone: readonly string[], options?: QuestionOptions) => Schedule;

/** What happens if nodes are removed. All parts share one index of the cluster, which is built on first use. */
export interface Simulation {
  readonly whatIf: WhatIf;
  /** *Cost:* far less than a question. */
  readonly bounds: Bounds;
  /** The number of pods that each question places beside those of its nodes: pods that wait, and pods of nodes that are being deleted. */
  readonly others: () => number;
  /**
   * The same after nodes are gone and pods have moved from them. Their pods that have not moved wait for a place, and each question places
   * them. *Cost:* O(nodes) for the first question.
   */
  after(change: ClusterChange): Simulation;
}

/**
 * Answers "what if these nodes were removed" any number of times. *Shape:* the result of `schedulePods` if commands replace
 * these nodes: they hold their share of the limits until their replacements are initialized (promise 2). Pending pods, and pods of
 * nodes that are being deleted, are placed too. B59, E20: other capacity may replace reserved capacity. *Cost:* O(nodes + pods +
 * instance types) for the first question, then in proportion to the pods to place. *Source:* E20.
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
  return simulationOn({ start: once(() => prepare(snapshot, nowMs, nodes)), changes: [] });
}

/** One state of the cluster. */
interface Prepared {
  readonly whatIf: WhatIf;
  readonly bounds: () => Bounds;
  readonly others: number;
  after(change: ClusterChange): Prepared;
}

/** A state that is computed on first use, from an earlier one and the changes since then. */
interface Origin {
  readonly start: () => Prepared;
  readonly changes: readonly ClusterChange[];
}

function simulationOn(origin: Origin): Simulation {
  let state: Origin | Prepared = origin;
  const index = (): Prepared => {
    // The earlier state is not kept: a plan may have thousands of changes.
    if ('start' in state) state = state.changes.reduce((before, change) => before.after(change), state.start());
    return state;
  };
  const known = once(() => index().bounds());
  return {
    whatIf: (gone, options) => index().whatIf(gone, options),
    others: () => index().others,
    bounds: {
      priceOfOneClaim: (gone) => known().priceOfOneClaim(gone),
      priceOfHomeless: (node) => known().priceOfHomeless(node),
      worthOf: (node) => known().worthOf(node),
    },
    after(change) {
      if ('start' in state) return simulationOn({ ...state, changes: [...state.changes, change] });
      const now = state;
      return simulationOn({ start: () => now, changes: [change] });
    },
  };
}

function prepare(snapshot: ClusterSnapshot, nowMs: number, nodes: readonly StateNode[]): Prepared {
  const toPlace = podsToPlaceFrom(snapshot, nowMs);
  const leaving = nodes.filter(({ deleting }) => deleting);
  const beingDeleted = leaving.map(({ name }) => name);
  const { pods } = toPlace(leaving);
  const simulated = { ...snapshot, options: { ...snapshot.options, reservedFallback: true, longSearch: false } };
  const start = indexForMany({ ...clusterProblem(simulated, nodes, nowMs), pods });
  const pending = new Set<Pod>(toPlace([]).pods);
  const moved = onceFor((node: StateNode) => toPlace([node]).pods.filter((pod) => !pending.has(pod)));
  const boundsFor = once(() => boundsOn(start, ({ stateNode }) => moved(stateNode)));
  const preparedOn = (cluster: ClusterIndex, waiting: readonly Pod[]): Prepared => {
    const solved = whatIfOn(cluster);
    const { hosts } = cluster;
    const places = once(() => placesOf(cluster));
    const placingWithout = (gone: ReadonlySet<string>): PodsToPlace => {
      const indices = [...gone, ...beingDeleted].map((name) => placeOf(name, places()));
      const inOrder = [...new Set(indices)].toSorted((a, b) => a - b).flatMap((index) => hosts[index] ?? []);
      return toPlace(inOrder.map(({ stateNode }) => stateNode));
    };
    return {
      whatIf(names, options) {
        const gone = new Set(names);
        const placing = placingWithout(gone);
        const all = [...placing.pods, ...waiting];
        return scheduleOf({ ...placing, pods: all }, () => solved({ ...options, pods: all, removed: gone }));
      },
      bounds: () => boundsFor()(cluster),
      others: pods.length + waiting.length,
      after(change) {
        const left = placingWithout(change.gone).pods.filter(({ spec }) => change.gone.has(spec.nodeName ?? ''));
        return preparedOn(cluster.after(change), [...waiting, ...left.filter(notArrived(change))]);
      },
    };
  };
  return preparedOn(start, []);
}

function notArrived({ changed, added }: ClusterChange): (pod: Pod) => boolean {
  const arrived = new Set([...changed, ...added].flatMap((node) => node.pods.map(podKey)));
  return (pod) => !arrived.has(podKey(pod));
}

function placesOf({ hosts, gone }: ClusterIndex): ReadonlyMap<string, number> {
  return new Map(hosts.filter((host) => !gone.has(host)).map(({ stateNode, index }) => [stateNode.name, index]));
}

function placeOf(name: string, places: ReadonlyMap<string, number>): number {
  const place = places.get(name);
  if (place === undefined) throw new RangeError(`node ${name} is not in the snapshot; use one of its nodes`);
  return place;
}
