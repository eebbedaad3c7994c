import { formatBytes, formatCpu, milliValue, unitValue } from '../../apis/formats/quantity.ts';
import type { ResourceList } from '../../apis/kubernetes.ts';
import { onceFor } from '../kept-answers.ts';

/**
 * Amounts by resource name as plain numbers.
 * *Units:* `cpu` in millicores, others in whole units (bytes, counts). A resource without an entry is zero.
 */
export type Resources = Readonly<Record<string, number>>;

/** An amount that is not a quantity counts as this where it is requested or used: no node and no limit has room for it. */
export const UNREADABLE_REQUEST = Number.MAX_SAFE_INTEGER;
/** An amount that is not a quantity counts as this where it is offered. */
export const UNREADABLE_OFFER = 0;

/**
 * Parses an API resource list. *Errors:* RangeError for text that is not a quantity; validated input has none.
 * @param unreadable what such text counts as, for objects of the cluster, so that one object does not stop the decision
 */
export function parseResources(list: ResourceList = {}, unreadable?: number): Resources {
  return Object.fromEntries(
    Object.entries(list)
      // Names such as `constructor` are inherited by every object and are not resources.
      .filter(([name]) => !(name in Object.prototype))
      .map(([name, quantity]) => [name, amountOf(name, quantity, unreadable)]),
  );
}

function amountOf(name: string, quantity: string | number, unreadable: number | undefined): number {
  try {
    return name === 'cpu' ? milliValue(quantity) : unitValue(quantity);
  } catch (error) {
    if (unreadable === undefined) throw error;
    return unreadable;
  }
}

/** `parseResources` of a list that is read again and again, for example the capacity of a node. */
export const resourcesOf: (list: ResourceList) => Resources = onceFor((list: ResourceList) =>
  parseResources(list, UNREADABLE_OFFER),
);

/** Formats an API resource list, with suffixes where they are exact. */
export function formatResources(resources: Resources): ResourceList {
  return Object.fromEntries(
    Object.entries(resources).map(([name, amount]) => {
      const text = formatAmount(name, amount);
      return [name, name === 'cpu' || unitValue(text) === amount ? text : String(amount)];
    }),
  );
}

/** Formats one amount: `1500m` cpu, `3.5Gi` memory, `2` pods. */
export function formatAmount(name: string, amount: number): string {
  if (name === 'cpu') return formatCpu(amount);
  return name === 'memory' || name === 'ephemeral-storage' ? formatBytes(amount) : String(amount);
}

export function add(...all: readonly Resources[]): Resources {
  const sum: Record<string, number> = {};
  for (const resources of all) {
    for (const name in resources) sum[name] = (sum[name] ?? 0) + (resources[name] ?? 0);
  }
  return sum;
}

export function subtract(from: Resources, what: Resources): Resources {
  const rest: Record<string, number> = { ...from };
  for (const name in what) rest[name] = (rest[name] ?? 0) - (what[name] ?? 0);
  return rest;
}

/** The larger amount of each resource. */
export function larger(a: Resources, b: Resources): Resources {
  const result: Record<string, number> = { ...a };
  for (const [name, amount] of Object.entries(b)) result[name] = Math.max(result[name] ?? 0, amount);
  return result;
}

/** The smaller amount of each resource of `a`; a resource that `b` lacks is zero. */
export function smaller(a: Resources, b: Resources): Resources {
  return Object.fromEntries(Object.keys(a).map((name) => [name, Math.min(a[name] ?? 0, b[name] ?? 0)]));
}

/** B19: whether every request fits. A negative available amount refuses all pods, even those that do not request the resource. */
export function fits(requests: Resources, available: Resources): boolean {
  for (const name in requests) if ((requests[name] ?? 0) > (available[name] ?? 0)) return false;
  for (const name in available) if ((available[name] ?? 0) < 0) return false;
  return true;
}
