import { limitsOf, type PoolLimits } from '../pools/pool-limits.ts';
import type { PoolTypeIndex } from '../pools/type-index.ts';

/**
 * What a run aims at: to spare money; to spare limits, where these leave pods without a place; or to pack as Karpenter does,
 * each pod in its turn on the first claim that can still become large enough.
 */
export type Aim = 'money' | 'limits' | 'greed';

export interface Goal {
  readonly aim: Aim;
  readonly isGreedy: boolean;
  /** What a node of the type costs in what is spared, at that price in USD an hour. */
  costOf(types: PoolTypeIndex, type: number, priceUsdPerHour: number): number;
}

/** A node costs more than EC2's price: addresses, API objects, a kubelet's heartbeats. USD an hour. */
export const NODE_PRICE = 0.01;

/** `limits`: what the pools have left when the run starts. */
export function goalOf(aim: Aim, limits: PoolLimits): Goal {
  return { aim, isGreedy: aim === 'greed', costOf: aim === 'limits' ? shareOf(limits) : inMoney };
}

const inMoney: Goal['costOf'] = (_types, _type, priceUsdPerHour) => priceUsdPerHour + NODE_PRICE;

/** The largest share that the node takes of what a limit leaves; of equals the cheapest. Pools without limits spare money. */
function shareOf(limits: PoolLimits): Goal['costOf'] {
  return (types, type, priceUsdPerHour) => {
    const left = limitsOf(limits, types);
    const capacity = types.types[type]?.capacity;
    if (left === undefined || capacity === undefined) return priceUsdPerHour + NODE_PRICE;
    const shares = Object.entries(left).map(
      ([name, amount]) => (name === 'nodes' ? 1 : (capacity[name] ?? 0)) / Math.max(amount, 1),
    );
    return Math.max(...shares, 0) + (priceUsdPerHour + NODE_PRICE) * TIE;
  };
}

const TIE = 1e-6;
