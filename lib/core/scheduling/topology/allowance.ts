import { allowedDomains, evenDomains, type KeyRules, onlyRepel, type TopologyRules } from './rules.ts';

/** The domains that rules allow at this point of the run. */
export interface Allowance {
  /** The allowed domains, best first. */
  readonly order: readonly number[];
  /** By domain: 1 if it is allowed. */
  readonly allows: Uint8Array;
  /** By domain: 1 if it is allowed, and is to be used if possible (`evenDomains`). */
  readonly isEven: Uint8Array;
}

export interface Allowances {
  allowance(rules: KeyRules): Allowance;
  /**
   * No new node can be in the domains that are to be used, so the fewest pods are counted in the others from now on. *Shape:* false if all
   * allowed domains of each key could be used anyway.
   */
  leaveOutEven(byKey: readonly KeyRules[]): boolean;
}

/** Computes the allowed domains, and caches them until a counter changes. *Cost:* O(rules) if no counter has changed. */
export function allowances(): Allowances {
  const known = new WeakMap<KeyRules, Allowance & { readonly stamp: number }>();
  const leftOut = new WeakMap<KeyRules, Set<number>>();
  const allowance: Allowances['allowance'] = (keyRules) => {
    let stamp = 0;
    for (const rule of keyRules.rules) {
      if (rule.kind === 'attract') for (const counter of rule.together) stamp += counter.changes;
      else stamp += rule.counter.changes;
    }
    for (const counter of keyRules.countedBy) stamp += counter.changes;
    const last = known.get(keyRules);
    if (last?.stamp === stamp) return last;
    const order = allowedDomains(keyRules);
    const allows = new Uint8Array(keyRules.key.values.length);
    for (const domain of order) allows[domain] = 1;
    const even = evenDomains(keyRules, order, leftOut.get(keyRules));
    const isEven = even === order ? allows : new Uint8Array(allows.length);
    for (const domain of even) isEven[domain] = 1;
    const fresh = { order, allows, isEven, stamp };
    known.set(keyRules, fresh);
    return fresh;
  };
  return {
    allowance,
    leaveOutEven(byKey) {
      let hasOthers = false;
      for (const keyRules of byKey) {
        const { order, isEven } = allowance(keyRules);
        const even = order.filter((domain) => isEven[domain] === 1);
        if (even.length === order.length) continue;
        leftOut.set(keyRules, new Set([...(leftOut.get(keyRules) ?? []), ...even]));
        known.delete(keyRules);
        hasOthers = true;
      }
      return hasOthers;
    },
  };
}

/**
 * Whether a host that is in these domains, or may get one of them, satisfies the rules.
 * If the domain is still open, all of its domains must be allowed. Without the label, only anti-affinity is satisfied.
 */
export function satisfiesRules(keyRules: KeyRules, domains: readonly number[], { allows }: Allowance): boolean {
  if (keyRules.rules.length === 0) return true;
  const [only] = domains;
  if (only === undefined) return onlyRepel(keyRules);
  if (domains.length === 1) return allows[only] === 1;
  return onlyRepel(keyRules) && domains.every((domain) => allows[domain] === 1);
}

export function hasRules({ byKey, onHost }: TopologyRules): boolean {
  return byKey.length > 0 || onHost.length > 0;
}
