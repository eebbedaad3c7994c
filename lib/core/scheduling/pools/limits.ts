import type { NodePool } from '../../../apis/node-pool.ts';
import type { InstanceType } from '../../model/instance-type.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { larger, parseResources, type Resources } from '../../resources/resources.ts';
import { amountInWords, amountsInWords, typesInWords } from '../amounts-in-words.ts';

/** The remaining limits of a NodePool, including `nodes`. Only limited resources are listed. */
export type RemainingLimits = Resources;

/** *Shape:* undefined if the pool has no limits. */
export function remainingLimits(nodePool: NodePool, held: readonly Resources[]): RemainingLimits | undefined {
  if (nodePool.spec.limits === undefined) return undefined;
  const limits = parseResources(nodePool.spec.limits);
  return held.reduce<Resources>((left, one) => takeFromLimits(left, { ...one, nodes: 1 }), limits);
}

/** Subtracts the capacity of a node, including `nodes: 1`, from the remaining limits; with −1, adds it. */
export function takeFromLimits(left: RemainingLimits, capacity: Resources, times: 1 | -1 = 1): RemainingLimits {
  return Object.fromEntries(
    Object.entries(left).map(([name, amount]) => [name, amount - times * (capacity[name] ?? 0)]),
  );
}

/** B23: the remaining limits must include the whole capacity of the type and one node. This is exact in a run; Karpenter's is not. */
export function fitsLimits({ capacity }: Pick<InstanceType, 'capacity'>, left: RemainingLimits | undefined): boolean {
  for (const name in left) if ((name === 'nodes' ? 1 : (capacity[name] ?? 0)) > (left[name] ?? 0)) return false;
  return true;
}

/** Promise 2: until it is launched, a claim reserves the largest capacity of its types. */
export function largestCapacity(types: readonly InstanceType[]): Resources {
  return types.reduce<Resources>((most, type) => larger(most, type.capacity), {});
}

/** The same for limited resources only. */
export function largestOfLimited(types: readonly InstanceType[], of: RemainingLimits): Resources {
  return Object.fromEntries(
    Object.keys(of).map((name) => [name, types.reduce((most, { capacity }) => Math.max(most, capacity[name] ?? 0), 0)]),
  );
}

const LIMIT_EXCEEDED = 'LimitExceeded';

/** Refuses with the limit, the remaining amount, and the capacity of the smallest type that fits. */
export function whyLimited({ spec }: NodePool, left: RemainingLimits, types: readonly InstanceType[]): Refusal {
  const instanceTypes = types.length;
  for (const [name, amount] of Object.entries(left)) {
    const limit = spec.limits?.[name] ?? 0;
    if (name === 'nodes' && amount < 1) {
      return refusal(LIMIT_EXCEEDED, `the pool's limit of ${limit} nodes is reached: raise limits.nodes`, {
        left: amount,
        smallest: 1,
        instanceTypes,
      });
    }
    const smallest = name === 'nodes' ? 1 : smallestCapacity(types, name);
    if (smallest <= amount) continue;
    const [needed, remaining] = amountsInWords(name, smallest, Math.max(0, amount));
    const message = `the pool's limit of ${limit} ${name} leaves ${remaining}, but the smallest instance type that fits has ${needed}: raise limits.${name}`;
    return refusal(LIMIT_EXCEEDED, message, { left: amount, smallest, instanceTypes });
  }
  const each = Object.entries(left).map(([name, amount]) => `${amountInWords(name, amount)} ${name}`);
  const message = `the pool's limits leave ${each.join(' and ')}, but none of ${typesInWords(instanceTypes)} that fit stays within all of them`;
  return refusal(LIMIT_EXCEEDED, message, { instanceTypes });
}

function smallestCapacity(types: readonly InstanceType[], name: string): number {
  return types.reduce((least, { capacity }) => Math.min(least, capacity[name] ?? 0), Number.POSITIVE_INFINITY);
}
