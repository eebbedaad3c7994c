import { allowedDomains, type KeyRules, onlyRepel, type TopologyRules } from './rules.ts';

/** What rules allow just now. */
export interface Allowance {
  /** The domains, the best first. */
  readonly order: readonly number[];
  /** By domain: 1 where it is among them. */
  readonly allows: Uint8Array;
}

/** Works out what rules allow, again only when a counter has changed. *Cost:* O(rules) where none has. */
export function allowances(): (rules: KeyRules) => Allowance {
  const known = new WeakMap<KeyRules, Allowance & { readonly stamp: number }>();
  return (keyRules) => {
    let stamp = 0;
    for (const rule of keyRules.rules) stamp += rule.counter.changes;
    const last = known.get(keyRules);
    if (last?.stamp === stamp) return last;
    const order = allowedDomains(keyRules);
    const allows = new Uint8Array(keyRules.key.values.length);
    for (const domain of order) allows[domain] = 1;
    const fresh = { order, allows, stamp };
    known.set(keyRules, fresh);
    return fresh;
  };
}

/**
 * Whether a host that is in these domains, or may get one of them, keeps to the rules.
 * An open domain is good enough only where each of them would do, and a rule that needs the label is not kept without it.
 */
export function keepsTo(keyRules: KeyRules, domains: readonly number[], { allows }: Allowance): boolean {
  if (keyRules.rules.length === 0) return true;
  const [only] = domains;
  if (only === undefined) return onlyRepel(keyRules);
  if (domains.length === 1) return allows[only] === 1;
  return onlyRepel(keyRules) && domains.every((domain) => allows[domain] === 1);
}

export function hasRules({ byKey, onHost }: TopologyRules): boolean {
  return byKey.length > 0 || onHost.length > 0;
}
