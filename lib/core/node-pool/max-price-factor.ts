import { parsePriceFactor } from '../../apis/formats/price-factor.ts';
import { MAX_PRICE_FACTOR } from '../../apis/labels.ts';
import type { NodePool } from '../../apis/node-pool.ts';

const DEFAULT_FACTOR = 3;

/** The most that a node of the NodePool may cost, as a multiple of the cheapest compatible one with missing capacity ignored. */
export function maxPriceFactorOf({ metadata: { annotations = {} } }: NodePool): number {
  return parsePriceFactor(annotations[MAX_PRICE_FACTOR] ?? '') ?? DEFAULT_FACTOR;
}
