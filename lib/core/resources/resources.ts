import type { ResourceList } from '../../apis/kubernetes.ts';
import { formatBytes, formatCpu, milliValue, unitValue } from '../../apis/quantity.ts';

/**
 * Amounts by resource name as plain numbers.
 * *Units:* `cpu` in millicores, everything else in whole units (bytes, counts). A resource that is not named is zero.
 */
export type Resources = Readonly<Record<string, number>>;

/** Reads an API resource list. *Errors:* RangeError for text that is no quantity (validated input has none). */
export function parseResources(list: ResourceList = {}): Resources {
  return Object.fromEntries(
    Object.entries(list)
      // No resource is called `constructor`, and every object would seem to have it.
      .filter(([name]) => !(name in Object.prototype))
      .map(([name, quantity]) => [name, name === 'cpu' ? milliValue(quantity) : unitValue(quantity)]),
  );
}

/** Writes an API resource list, as people write quantities where that is exact. */
export function formatResources(resources: Resources): ResourceList {
  return Object.fromEntries(
    Object.entries(resources).map(([name, amount]) => {
      const text = formatAmount(name, amount);
      return [name, name === 'cpu' || unitValue(text) === amount ? text : String(amount)];
    }),
  );
}

/** One amount as people write it: `1500m` cpu, `3.5Gi` memory, `2` pods. */
export function formatAmount(name: string, amount: number): string {
  if (name === 'cpu') return formatCpu(amount);
  return name === 'memory' || name === 'ephemeral-storage' ? formatBytes(amount) : String(amount);
}

export function add(...all: readonly Resources[]): Resources {
  const sum: Record<string, number> = {};
  for (const resources of all) {
    for (const [name, amount] of Object.entries(resources)) sum[name] = (sum[name] ?? 0) + amount;
  }
  return sum;
}

export function subtract(from: Resources, what: Resources): Resources {
  const rest: Record<string, number> = { ...from };
  for (const [name, amount] of Object.entries(what)) rest[name] = (rest[name] ?? 0) - amount;
  return rest;
}

/** Per resource the larger of the two. */
export function larger(a: Resources, b: Resources): Resources {
  const most: Record<string, number> = { ...a };
  for (const [name, amount] of Object.entries(b)) most[name] = Math.max(most[name] ?? 0, amount);
  return most;
}

/** Per resource the smaller of the two; what one of them lacks is zero. */
export function smaller(a: Resources, b: Resources): Resources {
  return Object.fromEntries(Object.keys(a).map((name) => [name, Math.min(a[name] ?? 0, b[name] ?? 0)]));
}

/** B19: every requested key must fit, and a negative total refuses even a pod that does not ask for it. */
export function fits(requests: Resources, available: Resources): boolean {
  for (const name in requests) if ((requests[name] ?? 0) > (available[name] ?? 0)) return false;
  for (const name in available) if ((available[name] ?? 0) < 0) return false;
  return true;
}
