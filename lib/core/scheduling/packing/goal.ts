import { limitsOf, type PoolLimits } from '../pools/pool-limits.ts';
import type { PoolTypeIndex } from '../pools/type-index.ts';

/**
 * `cost`: minimize the price. `limits`: minimize the use of pool limits, if limits leave pods unschedulable. `first-fit`: pack as
 * Karpenter does, each pod in order on the first claim that can become large enough.
 */
export type OptimizationTarget = 'cost' | 'limits' | 'first-fit';

export interface Goal {
  readonly target: OptimizationTarget;
  readonly isFirstFit: boolean;
  /** The cost of a node of the type in the quantity that the run minimizes, at this price in USD per hour. */
  costOf(types: PoolTypeIndex, type: number, priceUsdPerHour: number): number;
}

/** The cost of a node in addition to EC2's price: addresses, API objects, heartbeats of the kubelet. USD per hour. */
export const NODE_PRICE = 0.01;

/** `limits`: the remaining limits of the pools at the start of the run. */
export function goalOf(target: OptimizationTarget, limits: PoolLimits): Goal {
  return {
    target,
    isFirstFit: target === 'first-fit',
    costOf: target === 'limits' ? shareOfLimits(limits) : priceOfNode,
  };
}

const priceOfNode: Goal['costOf'] = (_types, _type, priceUsdPerHour) => priceUsdPerHour + NODE_PRICE;

/** The largest share of a remaining limit that the node uses; ties by price. For pools without limits, the price. */
function shareOfLimits(limits: PoolLimits): Goal['costOf'] {
  return (types, type, priceUsdPerHour) => {
    const remaining = limitsOf(limits, types);
    const capacity = types.types[type]?.capacity;
    if (remaining === undefined || capacity === undefined) return priceUsdPerHour + NODE_PRICE;
    const shares = Object.entries(remaining).map(
      ([name, amount]) => (name === 'nodes' ? 1 : (capacity[name] ?? 0)) / Math.max(amount, 1),
    );
    return Math.max(...shares, 0) + (priceUsdPerHour + NODE_PRICE) * TIE_BREAK;
  };
}

const TIE_BREAK = 1e-6;
