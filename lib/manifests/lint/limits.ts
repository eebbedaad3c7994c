import { isQuantity, parseQuantityNano } from '../../apis/formats/quantity.ts';
import type { ResourceList } from '../../apis/kubernetes.ts';
import { formatAmount, parseResources, type Resources } from '../../core/resources/resources.ts';
import type { FieldProblem } from '../../core/validation/field-problem.ts';
import type { KnownFigures } from './values/known-figures.ts';

const PATH = ['spec', 'limits'];
const NEVER = 'so the pool can never launch a node';

/**
 * B23: warns of limits below the capacity of the smallest type. `capacities` are those of the types that meet the
 * requirements, undefined where they are unknown. Validation reports invalid amounts.
 */
export function limitAdvice(
  limits: ResourceList = {},
  capacities: readonly Resources[] | undefined,
): readonly FieldProblem[] {
  const readable = Object.entries(limits).filter(([, amount]) => isQuantity(amount));
  const closed = readable.filter(([name, amount]) => leavesNothing(name, amount));
  if (closed.length > 0) return closed.map(([name, amount]) => closedBy(name, amount));
  const most = parseResources(Object.fromEntries(readable));
  if (capacities === undefined || capacities.length === 0 || capacities.some((one) => withinLimits(one, most)))
    return [];
  return tooSmall(most, limits, capacities);
}

/** Common mistakes in the names of node resources. */
const RESOURCE_MISTAKES: ReadonlyMap<string, string> = new Map([
  ...['cores', 'vcpu', 'vcpus', 'cpus', 'limits.cpu', 'requests.cpu'].map((mistake) => [mistake, 'cpu'] as const),
  ...['mem', 'ram', 'limits.memory', 'requests.memory'].map((mistake) => [mistake, 'memory'] as const),
  ...['disk', 'storage'].map((mistake) => [mistake, 'ephemeral-storage'] as const),
  ...['gpu', 'gpus', 'nvidia.com/gpus'].map((mistake) => [mistake, 'nvidia.com/gpu'] as const),
]);

/** Warns of limits on resources that nodes do not have, which have no effect. */
export function unknownLimits(limits: ResourceList = {}, suggest: KnownFigures['suggest']): readonly FieldProblem[] {
  return Object.keys(limits).flatMap((name) => {
    if (NODE_RESOURCES.has(name)) return [];
    const near = name.includes('/') ? undefined : suggest(name, [...NODE_RESOURCES]);
    const allowed = RESOURCE_MISTAKES.get(name.toLowerCase()) ?? near;
    if (allowed === undefined) return [];
    return [{ path: [...PATH, name], message: `${name} is not a node resource, so this limit has no effect`, allowed }];
  });
}

const NODE_RESOURCES: ReadonlySet<string> = new Set(['cpu', 'memory', 'nodes', 'ephemeral-storage', 'pods']);

/** True for a limit of zero on a resource that every node has. A limit of zero on a device still allows types without it. */
function leavesNothing(name: string, amount: string | number): boolean {
  const nano = parseQuantityNano(amount) ?? 0n;
  return nano < 0n || (nano === 0n && NODE_RESOURCES.has(name));
}

function closedBy(name: string, amount: string | number): FieldProblem {
  const below = (parseQuantityNano(amount) ?? 0n) < 0n;
  const message = below ? `is below zero (${amount}), ${NEVER}` : `is ${amount}, ${NEVER}`;
  return { path: [...PATH, name], message, allowed: `the maximum ${name} of the pool, or remove the limit` };
}

function withinLimits(capacity: Resources, most: Resources): boolean {
  return Object.entries(most).every(([name, amount]) => need(capacity, name) <= amount);
}

function need(capacity: Resources, name: string): number {
  return name === 'nodes' ? 1 : (capacity[name] ?? 0);
}

function tooSmall(most: Resources, limits: ResourceList, capacities: readonly Resources[]): readonly FieldProblem[] {
  const short = Object.entries(most).flatMap(([name, amount]) => {
    const least = capacities.reduce((fewest, one) => Math.min(fewest, need(one, name)), Number.POSITIVE_INFINITY);
    if (least <= amount) return [];
    const smallest = formatAmount(name, least);
    const message = `is ${limits[name]}, but the smallest instance type that meets the requirements has ${smallest}, ${NEVER}`;
    return [{ path: [...PATH, name], message, allowed: `at least ${smallest}` }];
  });
  if (short.length > 0) return short;
  const names = Object.keys(most).join(' and ');
  const message = `exclude every instance type that meets the requirements: none is within both ${names}, ${NEVER}`;
  return [{ path: PATH, message, allowed: 'limits that are large enough for the number of nodes that you need' }];
}
