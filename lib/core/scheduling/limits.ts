import type { NodePool } from '../../apis/node-pool.ts';
import type { InstanceType } from '../instance-type/instance-type.ts';
import { larger, parseResources, type Resources, subtract } from '../resources/resources.ts';

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
