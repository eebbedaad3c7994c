import type { NodePool } from '../../../apis/node-pool.ts';
import type { InstanceType } from '../../model/instance-type.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { larger, parseResources, type Resources } from '../../resources/resources.ts';
import { amountInWords, amountsInWords, typesInWords } from '../amounts-in-words.ts';

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

const LIMIT_EXCEEDED = 'LimitExceeded';

/** With what the pool may have, what is left, and what the smallest type that would do takes. */
export function whyLimited({ spec }: NodePool, left: RemainingLimits, types: readonly InstanceType[]): Refusal {
  const instanceTypes = types.length;
  for (const [name, amount] of Object.entries(left)) {
    const limit = spec.limits?.[name] ?? 0;
    if (name === 'nodes' && amount < 1) {
      return refusal(LIMIT_EXCEEDED, `the pool's limit of ${limit} nodes leaves none: raise limits.nodes`, {
        left: amount,
        smallest: 1,
        instanceTypes,
      });
    }
    const smallest = name === 'nodes' ? 1 : leastCapacity(types, name);
    if (smallest <= amount) continue;
    const [needed, there] = amountsInWords(name, smallest, Math.max(0, amount));
    const message = `the pool's limit of ${limit} ${name} leaves ${there}, the smallest instance type that would do takes ${needed}: raise limits.${name}`;
    return refusal(LIMIT_EXCEEDED, message, { left: amount, smallest, instanceTypes });
  }
  const each = Object.entries(left).map(([name, amount]) => `${amountInWords(name, amount)} ${name}`);
  const message = `the pool's limits leave ${each.join(' and ')}, and none of ${typesInWords(instanceTypes)} that would do keeps to all of it`;
  return refusal(LIMIT_EXCEEDED, message, { instanceTypes });
}

function leastCapacity(types: readonly InstanceType[], name: string): number {
  return types.reduce((least, { capacity }) => Math.min(least, capacity[name] ?? 0), Number.POSITIVE_INFINITY);
}
