import type { PoolLimits } from '../pools/pool-limits.ts';
import type { TypeIndex } from '../pools/type-index.ts';

/** What a run spares: money, or, where limits leave pods without a place, the limits. */
export interface Goal {
  readonly spares: 'money' | 'limits';
  /** What a node of the type costs in what is spared, at that price in USD an hour. */
  costOf(types: TypeIndex, type: number, priceUsdPerHour: number): number;
}

/** A node costs more than EC2's price: addresses, API objects, a kubelet's heartbeats. USD an hour. */
export const NODE_PRICE = 0.01;

export const SPARE_MONEY: Goal = {
  spares: 'money',
  costOf: (_types, _type, priceUsdPerHour) => priceUsdPerHour + NODE_PRICE,
};

/** The largest share that the node takes of what a limit leaves; of equals the cheapest. Pools without limits spare money. */
export function spareLimits(limits: PoolLimits): Goal {
  return {
    spares: 'limits',
    costOf(types, type, priceUsdPerHour) {
      const left = limits.get(types.template.nodePool.metadata.name);
      const capacity = types.types[type]?.capacity;
      if (left === undefined || capacity === undefined) return priceUsdPerHour + NODE_PRICE;
      const shares = Object.entries(left).map(
        ([name, amount]) => (name === 'nodes' ? 1 : (capacity[name] ?? 0)) / Math.max(amount, 1),
      );
      return Math.max(...shares, 0) + (priceUsdPerHour + NODE_PRICE) * TIE;
    },
  };
}

const TIE = 1e-6;
