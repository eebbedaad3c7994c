import { MAX_PRICE_FACTOR } from '../../../apis/labels.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { DEFAULT_PREFERENCE_PRICE_FACTOR } from '../../model/scheduling-options.ts';
import { usdPerHour } from '../../usd-per-hour.ts';
import type { Demand } from '../pods/demand.ts';
import type { RequirementSet } from '../pools/requirement-sets.ts';
import type { Vector } from '../pools/resource-space.ts';
import { lowestPrice, type PoolTypeIndex } from '../pools/type-index.ts';
import type { Run } from '../run.ts';
import type { OpenClaim } from './open-claim.ts';
import { strictDemand } from './variants.ts';

/** A new node: the number of its pods by demand, their total requests, and its requirements. */
export interface GuardedNode {
  readonly demands: ReadonlyMap<Demand, number>;
  readonly requests: Vector;
  readonly set: RequirementSet;
  /** As in `OpenClaim`. @default none */
  readonly guarded?: RequirementSet | undefined;
}

type Asked = Pick<Run, 'sets' | 'classes' | 'demandFor'>;

/**
 * Why a node of the pool must not be launched at this price: missing capacity makes it cost more than the factor of its NodePool
 * times the cheapest types that meet the requirements of its pods, without their preferences, if no capacity were missing: one for
 * all of them, or one for each.
 * *Shape:* undefined if it may be launched. *Cost:* nothing while no capacity is missing in the pool.
 */
export function whyTooExpensive(
  run: Asked,
  types: PoolTypeIndex,
  { priceUsdPerHour, ...node }: GuardedNode & { readonly priceUsdPerHour: number },
): Refusal | undefined {
  if (types.usual() === types || types.template.maxPriceFactor === Number.POSITIVE_INFINITY) return undefined;
  return whyAboveGuard(types, priceUsdPerHour, usualPrice(run, types, node));
}

/** Why the price is above the guard of the NodePool, which is a multiple of the price if no capacity were missing. */
export function whyAboveGuard(
  { template: { maxPriceFactor, nodePool } }: PoolTypeIndex,
  priceUsdPerHour: number,
  usualUsdPerHour: number,
): Refusal | undefined {
  if (priceUsdPerHour <= multiple(maxPriceFactor, usualUsdPerHour) + EPSILON) return undefined;
  const message = `the cheapest node with capacity costs ${usdPerHour(priceUsdPerHour)}, more than ${maxPriceFactor} times the ${usdPerHour(usualUsdPerHour)} of the cheapest compatible one, which has no capacity now: wait, or raise ${MAX_PRICE_FACTOR} of NodePool ${nodePool.metadata.name}`;
  return refusal('PriceTooHigh', message, { priceUsdPerHour, usualUsdPerHour, maxPriceFactor });
}

const EPSILON = 1e-9;

/** The most that is allowed. A NodeOverlay may set a price to 0, to prefer a type: then there is no limit. */
export function multiple(factor: number, priceUsdPerHour: number): number {
  return priceUsdPerHour === 0 ? Number.POSITIVE_INFINITY : factor * priceUsdPerHour;
}

/** What the pods would cost if no capacity were missing: on one node, or on a node for each pod. */
function usualPrice(run: Asked, types: PoolTypeIndex, node: GuardedNode): number {
  const usual = types.usual();
  const set = requiredSet(run, types, node);
  const priceFor = (requests: Vector): number => lowestPrice(usual, set, usual.fitting(requests));
  let apart = 0;
  for (const [{ requests }, count] of node.demands) apart += count * priceFor(requests);
  return Math.min(priceFor(node.requests), apart);
}

/**
 * The most that a claim may cost when it is launched: a launch may fall back to a more expensive option, for example from spot to
 * on-demand. It is the guard of its NodePool, and the factor of the preferences of its pods times the cheapest node without them.
 * *Shape:* at least the price of its target; undefined for reserved capacity, and if every price is allowed.
 */
export function maxPriceOf(run: Run, claim: OpenClaim, priceUsdPerHour: number): number | undefined {
  const { types, demands, reservations } = claim;
  if (reservations !== undefined) return undefined;
  // If no capacity is missing, the target is the cheapest type.
  const usual = types.usual() === types ? priceUsdPerHour : usualPrice(run, types, claim);
  const guard = multiple(types.template.maxPriceFactor, usual);
  const preferring = [...demands.keys()].some((demand) => strictDemand(run, demand) !== undefined);
  const limits = preferring ? [guard, preferenceLimit(run, claim, priceUsdPerHour)] : [guard];
  const limit = Math.max(Math.min(...limits), priceUsdPerHour);
  return limit === Number.POSITIVE_INFINITY ? undefined : limit;
}

/** If the target itself is above the limit, because the preferences are expensive by nature, a fallback may cost the factor more. */
function preferenceLimit(run: Run, { types, demands, set, requests }: OpenClaim, priceUsdPerHour: number): number {
  const { preferencePriceFactor: factor = DEFAULT_PREFERENCE_PRICE_FACTOR } = run.options;
  const without = lowestPrice(types, requiredSet(run, types, { demands, set, requests }), types.fitting(requests));
  const limit = multiple(factor, without);
  return priceUsdPerHour <= limit + EPSILON ? limit : factor * priceUsdPerHour;
}

/**
 * The requirements of the node without the preferences of its pods, and without those that limit it to doubted offerings (C35). Domains that
 * the other rules of its pods need stay as they are.
 */
function requiredSet(run: Asked, types: PoolTypeIndex, { demands, set, guarded }: GuardedNode): RequirementSet {
  const all = [...demands.keys()].map((demand) => ({ demand, strict: strictDemand(run, demand) }));
  const isStrict = all.every(({ strict }) => strict === undefined);
  if (isStrict && guarded === undefined) return set;
  let required = (isStrict ? guarded : undefined) ?? types.set;
  for (const { demand, strict = demand } of all) {
    const alternative = strict.alternatives.find((one) => run.sets.join(set, one.set) !== undefined);
    if (alternative !== undefined) required = run.sets.join(required, alternative.set) ?? required;
    for (const { key, rules } of strict.rules.byKey) {
      const pinned = rules.length === 0 ? undefined : set.requirements.get(key.name);
      if (pinned === undefined) continue;
      required = run.sets.join(required, run.sets.intern(new Map([[key.name, pinned]]))) ?? required;
    }
  }
  return required;
}
