import { type PriceColumn, resourcePrices } from '../../lib/core/scheduling/packing/resource-prices.ts';
import type { Vector } from '../../lib/core/scheduling/pools/resource-space.ts';
import { gridBound } from './grid-bound.ts';
import { mostWorth } from './knapsack.ts';

/** Pods by class, and the nodes that can run each of them. */
export interface Packing {
  readonly classes: readonly { readonly size: Vector; readonly count: number }[];
  readonly offerings: readonly { readonly room: Vector; readonly price: number }[];
  /** Known nodes: the number of pods of each class, and the price. */
  readonly nodes: readonly PriceColumn[];
}

/** A lower bound of the price, and the price with fractions of nodes for the nodes that were found. */
export interface ProvedBound {
  readonly usdPerHour: number;
  readonly relaxedUsdPerHour: number;
  readonly rounds: number;
}

const MAX_ROUNDS = 200;
const MAX_PIVOTS = 20_000;
/** For each node. With more, the bound is closer, and takes longer. */
export const BRANCHES = 30_000;
/** A node whose pods are worth more than its price by this share is added. */
const GAIN = 3e-4;

/**
 * A lower bound of the price of any nodes for the pods: fractions of nodes are allowed, but not of pods. Each round finds the worth of the
 * pods for which no known node is worth more than its price, and then the nodes that are.
 * *Source:* column generation (Gilmore and Gomory 1961), with Farley's bound (1990).
 */
export function provedBound({ classes, offerings, nodes }: Packing, branches: number = BRANCHES): ProvedBound {
  const wanted = Float64Array.from(classes, ({ count }) => count);
  const columns = [...nodes];
  let best = { usdPerHour: 0, relaxedUsdPerHour: 0, rounds: 0 };
  for (let rounds = 1; rounds <= MAX_ROUNDS; rounds += 1) {
    const worths = resourcePrices(wanted, columns, MAX_PIVOTS);
    const relaxedUsdPerHour = classes.reduce((sum, { count }, at) => sum + count * (worths[at] ?? 0), 0);
    const items = classes.map(({ size, count }, at) => ({ size, count, worth: worths[at] ?? 0 }));
    const packed = offerings.map(({ room, price }) => mostWorth(items, room, { above: price * (1 + GAIN), branches }));
    const found = packed.flatMap(({ worth, counts }, at) =>
      worth > 0 ? [{ holds: Float64Array.from(counts), price: offerings[at]?.price ?? 0 }] : [],
    );
    const isLast = found.length === 0 || rounds === MAX_ROUNDS;
    const most = offerings.map(({ room, price }, at) => {
      const { atMost = Number.POSITIVE_INFINITY, isExact = false } = packed[at] ?? {};
      return (isExact || !isLast ? atMost : Math.min(atMost, gridBound(items, room))) / price;
    });
    const bound = relaxedUsdPerHour / Math.max(1, ...most);
    best = { usdPerHour: Math.max(best.usdPerHour, bound), relaxedUsdPerHour, rounds };
    if (isLast) break;
    columns.push(...found);
  }
  return best;
}
