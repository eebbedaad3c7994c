import type { Pod } from '../../apis/kubernetes.ts';
import { once, onceFor } from '../kept-answers.ts';
import type { Resources } from '../resources/resources.ts';
import type { ClusterIndex } from './cluster-index.ts';
import { memoize } from './memoize.ts';
import { type PriceColumn, resourcePrices } from './packing/resource-prices.ts';
import type { ExistingHost } from './placement/existing-host.ts';
import { common } from './pools/bitset.ts';
import { dot, takeFrom, timesIn, type Vector, vectorOf } from './pools/resource-space.ts';
import { cheapestOf, type PoolTypeIndex } from './pools/type-index.ts';

/** Bounds of what the pods of removed nodes cost, computed without placing a pod. *Units:* USD per hour. */
export interface Bounds {
  /**
   * A lower bound of the price of one new NodeClaim that holds every pod of the nodes that fits on no other node.
   * *Shape:* 0 if each pod may fit on another node; Infinity if no instance type can hold the pods together.
   */
  priceOfOneClaim(gone: readonly string[]): number;
  /** A lower bound of the price of new NodeClaims, of any number, for the pods of the node that fit on no node of the cluster. */
  priceOfHomeless(node: string): number;
  /** The price of all pods of the node in the cheapest fleet, with fractions of nodes allowed. */
  worthOf(node: string): number;
}

/** Pods with the same requests. */
interface Size {
  readonly requests: Vector;
}

type Counts = ReadonlyMap<Size, number>;

/**
 * `podsOf`: the pods of a node that a question places if the node is removed. Constraints other than resources are ignored, so the
 * bounds are low but valid. *Shape:* bounds for the index and for those after it. *Cost:* O(pods) once; then, for each index, O(nodes)
 * once, and O(nodes) once for each size of pods.
 */
export function boundsOn(
  start: ClusterIndex,
  podsOf: (host: ExistingHost) => readonly Pod[],
): (cluster: ClusterIndex) => Bounds {
  const { classes } = start;
  const requestsOf = (pod: Pod): Resources => classes.classOf(classes.asPlaced(pod), true).requests;
  const requests = new Set(start.hosts.flatMap((host) => podsOf(host).map(requestsOf)));
  const { space, pools } = start.spaceOf(requests);
  const sizes = memoize((of: Resources): Size => ({ requests: vectorOf(space, of) }));
  const countsOn = onceFor((host: ExistingHost) => countsOf(podsOf(host), (pod) => sizes(requestsOf(pod))));
  // Any prices that no type exceeds give valid bounds, so those of the first index serve all.
  const worth = once(() => worthOfResources(pools, sumOf(start.hosts.map(countsOn), space.names.length)));
  const worthOfSizes = (of: Counts, isCounted: (size: Size) => boolean): number => {
    let sum = 0;
    for (const [size, count] of of) if (isCounted(size)) sum += count * dot(worth(), size.requests);
    return sum;
  };
  return (cluster) => {
    const { hosts } = cluster;
    const { rooms } = cluster.spaceOf(requests);
    const byName = new Map(hosts.map((host) => [host.stateNode.name, host]));
    const countsIn = (name: string): Counts => {
      const host = byName.get(name);
      return host === undefined ? NOTHING : countsOn(host);
    };
    const timesOn = (size: Size, host: ExistingHost | undefined): number => {
      const room = host === undefined || host.stateNode.deleting ? undefined : rooms[host.index]?.room;
      return room === undefined ? 0 : timesIn(size.requests, room);
    };
    const fittingOf = memoize((size: Size) => hosts.reduce((sum, host) => sum + timesOn(size, host), 0));
    return {
      priceOfOneClaim(gone) {
        const removed = gone.map((name) => byName.get(name));
        const homeless = new Map<Size, number>();
        for (const [size, count] of together(gone.map(countsIn))) {
          const elsewhere = removed.reduce((left, host) => left - timesOn(size, host), fittingOf(size));
          if (count > elsewhere) homeless.set(size, count - elsewhere);
        }
        return homeless.size === 0 ? 0 : cheapestFor(pools, sumOf([homeless], space.names.length));
      },
      priceOfHomeless: (name) => worthOfSizes(countsIn(name), (size) => fittingOf(size) === 0),
      worthOf: (name) => worthOfSizes(countsIn(name), () => true),
    };
  };
}

const NOTHING: Counts = new Map();

function countsOf(pods: readonly Pod[], sizeOf: (pod: Pod) => Size): Counts {
  const counts = new Map<Size, number>();
  for (const pod of pods) counts.set(sizeOf(pod), (counts.get(sizeOf(pod)) ?? 0) + 1);
  return counts;
}

function together(all: readonly Counts[]): Counts {
  const sum = new Map<Size, number>();
  for (const counts of all) for (const [size, count] of counts) sum.set(size, (sum.get(size) ?? 0) + count);
  return sum;
}

function sumOf(all: readonly Counts[], width: number): Vector {
  const sum = new Float64Array(width);
  for (const counts of all) for (const [{ requests }, count] of counts) takeFrom(sum, requests, -count);
  return sum;
}

function cheapestFor(pools: readonly PoolTypeIndex[], requests: Vector): number {
  let least = Number.POSITIVE_INFINITY;
  for (const types of pools) {
    const { types: selected, market } = types.selectionFor(types.set);
    const type = cheapestOf(common(selected, types.fitting(requests)), market);
    if (type !== undefined) least = Math.min(least, market.prices[type] ?? least);
  }
  return least;
}

/** The worth of one unit of each resource in the cheapest fleet of any pools. It never exceeds the price of a type for its room. */
function worthOfResources(pools: readonly PoolTypeIndex[], demand: Vector): Vector {
  const columns = pools.flatMap((types): readonly PriceColumn[] => {
    const selection = types.selectionFor(types.set);
    return types.frontierOf(selection).map((type) => ({
      holds: types.rooms[type] ?? new Float64Array(demand.length),
      price: selection.market.prices[type] ?? 0,
    }));
  });
  return resourcePrices(demand, columns);
}
