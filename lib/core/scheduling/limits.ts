import type { NodePool } from '../../apis/node-pool.ts';
import { cheapestPrice, compatibleOfferings } from '../instance-type/compatible-offerings.ts';
import type { InstanceType } from '../instance-type/instance-type.ts';
import type { Requirements } from '../requirements/requirements.ts';
import { larger, parseResources, type Resources, subtract } from '../resources/resources.ts';
import { plainTypes } from './launch-options.ts';
import { type Refusal, refusal } from './refusal.ts';

/** What is left of a NodePool's limits, `nodes` included; only limited resources are named. */
export type RemainingLimits = Resources;

/** *Shape:* undefined where the pool has no limits. */
export function remainingLimits(nodePool: NodePool, held: readonly Resources[]): RemainingLimits | undefined {
  if (nodePool.spec.limits === undefined) return undefined;
  const limits = parseResources(nodePool.spec.limits);
  return held.reduce<Resources>((left, one) => takeFromLimits(left, one), limits);
}

/** A node of this capacity takes it from what is left, and one of the `nodes`. */
export function takeFromLimits(left: RemainingLimits, capacity: Resources): RemainingLimits {
  const taken = subtract(left, { ...capacity, nodes: 1 });
  return Object.fromEntries(Object.keys(left).map((name) => [name, taken[name] ?? 0]));
}

/** B23: the whole capacity of the type must fit, and a node must be left. Exact within a run, where Karpenter overshoots. */
export function fitsLimits(type: InstanceType, left: RemainingLimits | undefined): boolean {
  if (left === undefined) return true;
  return Object.entries(left).every(([name, amount]) => (name === 'nodes' ? 1 : (type.capacity[name] ?? 0)) <= amount);
}

/** Promise 2: until it is launched, a claim holds the largest of what it may become. */
export function largestCapacity(types: readonly InstanceType[]): Resources {
  return types.reduce<Resources>((most, type) => larger(most, type.capacity), {});
}

/** What a claim holds at the least: the capacity of the cheapest type it may become. *Shape:* empty where there is none. */
export function cheapestCapacity(types: readonly InstanceType[], requirements: Requirements): Resources {
  const priced = plainTypes(types).map((type) => ({
    type,
    price: cheapestPrice(compatibleOfferings(type, requirements)),
  }));
  return priced.reduce((best, one) => (one.price < best.price ? one : best), priced[0] ?? NO_TYPE).type.capacity;
}

const NO_TYPE = { type: { capacity: {} }, price: Number.POSITIVE_INFINITY };

export function whyLimited({ spec }: NodePool, instanceTypes: number): Refusal {
  const named = Object.entries(spec.limits ?? {}).map(([name, amount]) => `${name} ${amount}`);
  const message = `the pool's limits (${named.join(', ')}) leave no room for any of ${instanceTypes} instance types`;
  return refusal('LimitExceeded', message, { instanceTypes });
}
