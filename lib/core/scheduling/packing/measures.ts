import type { BacklogGroup } from '../placement/backlog.ts';
import type { Demand } from '../pods/demand.ts';
import { timesIn, type Vector } from '../pools/resource-space.ts';
import { scarcestSlots } from './market-worth.ts';

/** Pods of a class. */
export interface CountedPods {
  readonly demand: Demand;
  readonly count: number;
  readonly hostCaps: BacklogGroup['hostCaps'];
}

/** An amount of which the pods of a node never have more than the node: a row of the linear program besides the resources. */
export interface Measure {
  of(pods: CountedPods): number;
  ofRoom(room: Vector): number;
}

/** The groups whose sizes become measures. */
const MAX_SIZES = 12;

/** Measures for the groups: limits on the pods of one host, and the sizes of the pods with the largest share of the nodes. */
export function measuresOf(groups: readonly CountedPods[], rooms: readonly Vector[]): readonly Measure[] {
  return [...slotMeasures(groups), ...sizesOf(groups, rooms).map(sizeMeasure)];
}

/** A pod takes a slot if it has the limit itself. Other pods that are counted may share a host. */
function slotMeasures(groups: readonly CountedPods[]): readonly Measure[] {
  return scarcestSlots(groups).map(({ counter }) => {
    // Groups may have different limits for the same counter.
    const limits = groups.flatMap(({ hostCaps }) => hostCaps.filter((one) => one.counter === counter));
    const most = Math.max(...limits.map(({ max }) => max));
    return {
      of: ({ hostCaps }) => (hostCaps.some((one) => one.counter === counter) ? 1 : 0),
      ofRoom: () => most,
    };
  });
}

/**
 * How many times a size fits, rounded down. The pods of a node never have more of it than the node, because the sum of numbers that are
 * rounded down is at most the rounded sum. So a node of 96 cpu without 0.1 cpu for daemons holds one pod of 48 cpu, not 1.99.
 * *Source:* Chvátal's rounding of a valid inequality.
 */
function sizeMeasure(size: Vector): Measure {
  return { of: ({ demand }) => timesIn(size, demand.requests), ofRoom: (room) => timesIn(size, room) };
}

/** The sizes of the groups that take most of the largest nodes: by all resources together, and by each alone. */
function sizesOf(groups: readonly CountedPods[], rooms: readonly Vector[]): readonly Vector[] {
  const width = groups[0]?.demand.requests.length ?? 0;
  const largest = new Float64Array(width);
  for (const room of rooms) room.forEach((amount, at) => (largest[at] = Math.max(largest[at] ?? 0, amount)));
  const shareOf = ({ demand, count }: CountedPods): number => {
    const share = Math.max(...demand.requests.map((amount, at) => amount / (largest[at] || 1)));
    return count * share * share;
  };
  const chosen = groups
    .map((group) => ({ requests: group.demand.requests, share: shareOf(group) }))
    .toSorted((a, b) => b.share - a.share)
    .slice(0, MAX_SIZES);
  const sizes = new Map<string, Vector>();
  for (const { requests } of chosen) {
    const size = requests.map((amount, at) => (at === PODS ? 0 : amount));
    const parts = size.map((_, part) => part).filter((part) => (size[part] ?? 0) > 0);
    for (const one of [size, ...Array.from(parts, (part) => size.map((amount, at) => (at === part ? amount : 0)))])
      if (one.some((amount) => amount > 0)) sizes.set(one.join(), one);
  }
  return [...sizes.values()];
}

/** The position of the number of pods in every resource space. */
const PODS = 2;
