import { DEFAULT_PREFERENCE_PRICE_FACTOR } from '../../model/scheduling-options.ts';
import { type Demand, suitsNewNode } from '../pods/demand.ts';
import type { Bitset } from '../pools/bitset.ts';
import type { RequirementSet } from '../pools/requirement-sets.ts';
import { type LowestPrices, lowestPrices, type PoolTypeIndex } from '../pools/type-index.ts';
import type { Run } from '../run.ts';
import { newHostAnswer } from '../topology/rules.ts';
import { claimTolerates } from './open-claim.ts';
import { pinnings } from './pinnings.ts';
import { strictDemand } from './variants.ts';

/** A new node of a pool for a pod with preferences: the requirements that satisfy them, and the types on which the pod fits. */
export interface PreferredOpening {
  readonly types: PoolTypeIndex;
  readonly demand: Demand;
  readonly sets: readonly RequirementSet[];
  readonly fitting: Bitset;
}

/**
 * Whether missing capacity makes the preferences of a pod too expensive: the cheapest node that satisfies them costs more than it
 * would if no capacity were missing, and more than the factor times the cheapest node without them. A node whose family or whole zone
 * was refused there counts as missing, unless the pod has no other without its preferences: so a preference costs one failed launch
 * at most. Weights of NodePools are an order of the operator, not preferences of a pod: the node without preferences is that of the
 * heaviest pool that can have one.
 * *Cost:* nothing while no capacity is missing in the pool.
 */
export function costsTooMuch(run: Run, { types, demand, sets, fitting }: PreferredOpening): boolean {
  const usual = types.usual();
  if (usual === types) return false;
  const strict = strictDemand(run, demand);
  if (strict === undefined) return false;
  const preferred = lowestOf(types, sets, fitting);
  const untouched = lowestOf(usual, sets, usual.fitting(demand.requests));
  if (preferred.certain <= untouched.any + EPSILON) return false;
  const { preferencePriceFactor: factor = DEFAULT_PREFERENCE_PRICE_FACTOR } = run.options;
  const without = pricesOf(run, strict);
  return without.certain < Number.POSITIVE_INFINITY
    ? preferred.certain > factor * without.certain + EPSILON
    : preferred.any > factor * without.any + EPSILON;
}

const EPSILON = 1e-9;
const NONE: LowestPrices = { any: Number.POSITIVE_INFINITY, certain: Number.POSITIVE_INFINITY };

/** The lowest prices of a new node for one pod, in the heaviest pool that can have one. */
function pricesOf(run: Run, demand: Demand): LowestPrices {
  if (newHostAnswer(demand.rules.onHost) !== 'yes') return NONE;
  for (const types of run.pools) {
    if (!claimTolerates(types, demand.podClass.pod.spec.tolerations)) continue;
    const fitting = types.fitting(demand.requests);
    const sets = demand.alternatives.flatMap((alternative) => {
      const set = run.sets.join(types.set, alternative.set);
      return set === undefined || !suitsNewNode(alternative)
        ? []
        : pinnings(run, demand.rules.byKey, { types, set, fitting });
    });
    const prices = lowestOf(types, sets, fitting);
    if (prices.any < Number.POSITIVE_INFINITY) return prices;
  }
  return NONE;
}

function lowestOf(types: PoolTypeIndex, sets: readonly RequirementSet[], among: Bitset): LowestPrices {
  return sets.reduce((lowest, set) => {
    const { any, certain } = lowestPrices(types, set, among);
    return { any: Math.min(lowest.any, any), certain: Math.min(lowest.certain, certain) };
  }, NONE);
}
