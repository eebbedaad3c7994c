import type { NodePool } from '../../../apis/node-pool.ts';
import type { InstanceType } from '../../instance-type/instance-type.ts';
import { formatAmount, larger, parseResources, type Resources } from '../../resources/resources.ts';
import { type Refusal, refusal } from '../refusal.ts';

/** What is left of a NodePool's limits, `nodes` included; only limited resources are named. */
export type RemainingLimits = Resources;

/** *Shape:* undefined where the pool has no limits. */
export function remainingLimits(nodePool: NodePool, held: readonly Resources[]): RemainingLimits | undefined {
  if (nodePool.spec.limits === undefined) return undefined;
  const limits = parseResources(nodePool.spec.limits);
  return held.reduce<Resources>((left, one) => takeFromLimits(left, { ...one, nodes: 1 }), limits);
}

/** Takes what a node holds, `nodes: 1` included, from what is left; with −1 it gives it back. */
export function takeFromLimits(left: RemainingLimits, capacity: Resources, times: 1 | -1 = 1): RemainingLimits {
  return Object.fromEntries(
    Object.entries(left).map(([name, amount]) => [name, amount - times * (capacity[name] ?? 0)]),
  );
}

/** B23: the whole capacity of the type must fit, and a node must be left. Exact within a run, where Karpenter overshoots. */
export function fitsLimits({ capacity }: Pick<InstanceType, 'capacity'>, left: RemainingLimits | undefined): boolean {
  for (const name in left) if ((name === 'nodes' ? 1 : (capacity[name] ?? 0)) > (left[name] ?? 0)) return false;
  return true;
}

/** Promise 2: until it is launched, a claim holds the largest of what it may become. */
export function largestCapacity(types: readonly InstanceType[]): Resources {
  return types.reduce<Resources>((most, type) => larger(most, type.capacity), {});
}

/** The same, of the limited resources alone. */
export function largestOfLimited(types: readonly InstanceType[], of: RemainingLimits): Resources {
  return Object.fromEntries(
    Object.keys(of).map((name) => [name, types.reduce((most, { capacity }) => Math.max(most, capacity[name] ?? 0), 0)]),
  );
}

export const LIMIT_EXCEEDED = 'LimitExceeded';

/** With what the pool may have, what is left, and what the smallest type that would do takes. */
export function whyLimited({ spec }: NodePool, left: RemainingLimits, types: readonly InstanceType[]): Refusal {
  const short = Object.entries(left).flatMap(([name, amount]) => {
    const least = name === 'nodes' ? 1 : Math.min(...types.map(({ capacity }) => capacity[name] ?? 0));
    return least > amount ? [{ name, amount, least }] : [];
  });
  const [first] = short;
  const limits = Object.entries(spec.limits ?? {}).map(([name, amount]) => `${name} ${amount}`);
  const named = `the pool's limits (${limits.join(', ')})`;
  if (first === undefined) {
    const message = `${named} leave no room for any of ${types.length} instance types that would do`;
    return refusal(LIMIT_EXCEEDED, message, { instanceTypes: types.length });
  }
  const { name, amount, least } = first;
  const message = `${named} leave ${formatAmount(name, Math.max(0, amount))} ${name}, the smallest instance type that would do takes ${formatAmount(name, least)}`;
  return refusal(LIMIT_EXCEEDED, message, { left: amount, smallest: least, instanceTypes: types.length });
}
