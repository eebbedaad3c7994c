import { DEFAULT_PREFERENCE_PRICE_FACTOR } from '../../model/scheduling-options.ts';
import { type Demand, suitsNewNode } from '../pods/demand.ts';
import { type Bitset, common, membersOf } from '../pools/bitset.ts';
import type { RequirementSet } from '../pools/requirement-sets.ts';
import { timesIn } from '../pools/resource-space.ts';
import type { PoolTypeIndex } from '../pools/type-index.ts';
import type { Run } from '../run.ts';
import { newHostAnswer } from '../topology/rules.ts';
import { type BacklogGroup, hostCapsOf, remainingOf } from './backlog.ts';
import { claimTolerates } from './open-claim.ts';
import { pinnings } from './pinnings.ts';
import { neverReserved } from './reservations.ts';
import { strictDemand } from './variants.ts';

/** A new node of a pool for pods with preferences: the requirements that satisfy them, and the types on which one of them fits. */
export interface PreferredOpening {
  readonly types: PoolTypeIndex;
  /** The pods that wait, and the demand of the next one. */
  readonly primary: BacklogGroup;
  readonly demand: Demand;
  readonly sets: readonly RequirementSet[];
  readonly fitting: Bitset;
}

/**
 * Whether missing capacity makes the preferences of pods too expensive: the cheapest nodes of one type that satisfy them cost more than
 * they would if no capacity were missing, and more than the factor times the cheapest nodes without them. All pods of the class that
 * wait are counted, because a single pod costs the same on a small node, and many of them cost less on large ones. A node whose family
 * or whole zone was refused there counts as missing, unless the pods have no other without their preferences: so a preference costs one
 * failed launch at most. Weights of NodePools are an order of the operator, not preferences of a pod: the nodes without preferences are
 * those of the heaviest pool that can have one. Reserved capacity counts on neither side.
 * *Cost:* nothing while no capacity is missing in the pool; otherwise O(types) for each set of requirements.
 */
export function costsTooMuch(run: Run, { types, primary, demand, sets, fitting }: PreferredOpening): boolean {
  const usual = types.usual();
  if (usual === types) return false;
  const strict = strictDemand(run, demand);
  if (strict === undefined) return false;
  const pods = remainingOf(primary);
  const preferred = lowestOf(run, types, { sets, demand, fitting, pods });
  const untouched = lowestOf(run, usual, { sets, demand, fitting: usual.fitting(demand.requests), pods });
  if (preferred.certain <= untouched.any + EPSILON) return false;
  const { preferencePriceFactor: factor = DEFAULT_PREFERENCE_PRICE_FACTOR } = run.options;
  const without = pricesOf(run, strict, pods);
  return without.certain < Number.POSITIVE_INFINITY
    ? preferred.certain > factor * without.certain + EPSILON
    : preferred.any > factor * without.any + EPSILON;
}

const EPSILON = 1e-9;

/** Among all offerings, and among those that EC2 probably has. *Units:* USD per hour; Infinity if there is none. */
interface LowestPrices {
  readonly any: number;
  readonly certain: number;
}

const NONE: LowestPrices = { any: Number.POSITIVE_INFINITY, certain: Number.POSITIVE_INFINITY };

/** The lowest prices of new nodes for the pods, in the heaviest pool that can have one. */
function pricesOf(run: Run, demand: Demand, pods: number): LowestPrices {
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
    const prices = lowestOf(run, types, { sets, demand, fitting, pods });
    if (prices.any < Number.POSITIVE_INFINITY) return prices;
  }
  return NONE;
}

interface AlikePods {
  readonly sets: readonly RequirementSet[];
  readonly demand: Demand;
  /** The types on which one of them fits. */
  readonly fitting: Bitset;
  readonly pods: number;
}

/** The lowest prices of nodes of one type for all pods, without reserved ones: a reservation has few, and its prices are only an order (C30). */
function lowestOf(run: Run, index: PoolTypeIndex, { sets, demand, fitting, pods }: AlikePods): LowestPrices {
  const onHost = demand.podClass.ports.length > 0 ? 1 : Math.min(pods, ...hostCapsOf(demand).map(({ max }) => max));
  let [any, certain] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const asked of sets) {
    const set = index.reserved.length === 0 ? asked : neverReserved(run.sets, index, asked);
    if (set === undefined) continue;
    const { types, market } = index.selectionFor(set);
    for (const type of membersOf(common(fitting, types))) {
      // One of the pods fits on each of these types.
      const { requests } = demand;
      const nodes = Math.ceil(pods / Math.min(onHost, timesIn(requests, index.rooms[type] ?? requests)));
      any = Math.min(any, nodes * (market.prices[type] ?? any));
      certain = Math.min(certain, nodes * (market.certainPrices[type] ?? certain));
    }
  }
  return { any, certain };
}
