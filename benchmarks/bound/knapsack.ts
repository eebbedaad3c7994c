import type { Vector } from '../../lib/core/scheduling/pools/resource-space.ts';

/** Pods of a class that a node may hold. */
export interface Item {
  readonly size: Vector;
  readonly worth: number;
  readonly count: number;
}

/** The most valuable pods of a node. */
export interface Packed {
  readonly counts: readonly number[];
  readonly worth: number;
  /** No pods that fit are worth more. */
  readonly atMost: number;
  /** False if the search was cut off. Then `atMost` may be far above the highest worth. */
  readonly isExact: boolean;
}

/** When the search for the pods of a node ends. */
export interface KnapsackLimits {
  /** Only pods that are worth more than this are of interest. */
  readonly above: number;
  /** The number of branches after which the answer is an upper bound. */
  readonly branches: number;
}

/**
 * The pods with the highest worth that fit in the room, if they are worth more than `above`. *Shape:* otherwise no pods, and `above` as the
 * upper bound. *Source:* branch and bound, with the bound of the knapsack in which the resources are one weighted sum.
 */
export function mostWorth(items: readonly Item[], room: Vector, { above, branches: most }: KnapsackLimits): Packed {
  const fitting = items
    .map((item, at) => ({ ...item, at, count: timesOf(item, room) }))
    .filter(({ count, worth }) => count > 0 && worth > 0);
  const weights = bestWeights(fitting, room);
  const sorted = fitting
    .map((item) => ({ ...item, weight: weightOf(item.size, room, weights) }))
    .toSorted((a, b) => b.worth / b.weight - a.worth / a.weight);
  const left = room.slice();
  const counts = items.map(() => 0);
  let best: Omit<Packed, 'isExact'> = { counts: [...counts], worth: 0, atMost: above };
  let [branches, open] = [0, 0];
  const search = (from: number, capacity: number, worth: number): void => {
    if (worth > best.atMost) best = { counts: [...counts], worth, atMost: worth };
    const item = sorted[from];
    if (item === undefined) return;
    const bound = worth + relaxed(sorted, from, capacity);
    if (bound <= best.atMost * TOLERANCE) return;
    branches += 1;
    if (branches > most) {
      open = Math.max(open, bound);
      return;
    }
    for (let count = Math.min(item.count, timesOf(item, left)); count >= 0; count -= 1) {
      const rest = capacity - count * item.weight;
      if (worth + count * item.worth + relaxed(sorted, from + 1, rest) <= best.atMost * TOLERANCE) break;
      counts[item.at] = count;
      item.size.forEach((amount, at) => (left[at] = (left[at] ?? 0) - count * amount));
      search(from + 1, rest, worth + count * item.worth);
      item.size.forEach((amount, at) => (left[at] = (left[at] ?? 0) + count * amount));
      counts[item.at] = 0;
    }
  };
  search(
    0,
    weights.reduce((sum, weight) => sum + weight, 0),
    0,
  );
  return { ...best, atMost: Math.max(best.atMost * TOLERANCE, open), isExact: open === 0 };
}

const TOLERANCE = 1 + 1e-7;

interface Weighed extends Item {
  readonly weight: number;
}

/** The worth of the items from there on that fill the capacity, with fractions of pods. The items are in the order of worth by weight. */
function relaxed(items: readonly Weighed[], from: number, capacity: number): number {
  let [worth, left] = [0, capacity];
  for (let at = from; at < items.length; at += 1) {
    const item = items[at];
    if (item === undefined || left <= 0) break;
    const count = Math.min(item.count, left / item.weight);
    worth += count * item.worth;
    left -= count * item.weight;
  }
  return worth;
}

function timesOf({ size, count }: Item, room: Vector): number {
  let times = count;
  size.forEach((amount, at) => {
    if (amount > 0) times = Math.min(times, Math.floor((room[at] ?? 0) / amount));
  });
  return Math.max(0, times);
}

function weightOf(size: Vector, room: Vector, weights: readonly number[]): number {
  return weights.reduce((sum, weight, at) => sum + (weight * (size[at] ?? 0)) / (room[at] || 1), 0);
}

/** The weights of the resources with the lowest bound: shares of cpu and memory, and a little of each other resource. */
function bestWeights(items: readonly Item[], room: Vector): readonly number[] {
  let best: { readonly weights: readonly number[]; readonly bound: number } | undefined;
  for (let step = 0; step <= STEPS; step += 1) {
    for (const others of [0, 0.05, 0.2]) {
      const share = step / STEPS;
      const weights = Array.from(room, (_, at) => (at === 0 ? share : at === 1 ? 1 - share : others));
      const weighed = items
        .map((item) => ({ ...item, weight: Math.max(weightOf(item.size, room, weights), 1e-12) }))
        .toSorted((a, b) => b.worth / b.weight - a.worth / a.weight);
      const bound = relaxed(
        weighed,
        0,
        weights.reduce((sum, weight) => sum + weight, 0),
      );
      if (best === undefined || bound < best.bound) best = { weights, bound };
    }
  }
  return best?.weights ?? [];
}

const STEPS = 40;
