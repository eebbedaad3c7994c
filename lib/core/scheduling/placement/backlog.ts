import type { Pod } from '../../../apis/kubernetes.ts';
import type { Demand } from '../pods/demand.ts';
import type { PoolTypeIndex } from '../pools/type-index.ts';
import type { Counter } from '../topology/counters.ts';

/**
 * B68: when pods are placed. Those of a turn share the claims that are opened in it; later ones join these only at no cost.
 * - `sharing`: they must share a host with others, and have the fewest possible hosts.
 * - `spread`: they are spread over zones, or over another label of several nodes. A claim that they have joined is pinned to a zone, which may
 *   be an expensive one.
 * - `other`.
 * - `spread-last`: as `spread`, but which zones are allowed then depends on the other pods as well.
 */
export type Turn = (typeof TURNS)[number];

/** In order. */
export const TURNS = ['sharing', 'spread', 'other', 'spread-last'] as const;

/**
 * When pods that are spread are placed (B68): after all others; if they are spread only among themselves, before the others; or with them, by
 * size.
 */
export type SpreadOrder = 'last' | 'first' | 'by-size';

/** The pods of a class that are not placed yet. */
export interface BacklogGroup {
  readonly demand: Demand;
  pods: readonly Pod[];
  /** The number of placed pods. They are at the start of the list. */
  placed: number;
  /** The pool that would launch a new node for them; undefined if no pool can (B35). */
  readonly types: PoolTypeIndex | undefined;
  /** The rules that limit the number of these pods on one host: the counter and the maximum. */
  readonly hostCaps: readonly { readonly counter: Counter; readonly max: number }[];
  readonly turn: Turn;
}

/** Whether a new node of the pool could run the group: the pool is the group's own, or the group's own pool is exhausted. */
export function canUsePool(
  { types: own }: BacklogGroup,
  types: PoolTypeIndex,
  exhausted: ReadonlySet<PoolTypeIndex>,
): boolean {
  return own === types || (own !== undefined && exhausted.has(own));
}

export function remainingOf({ pods, placed }: BacklogGroup): number {
  return pods.length - placed;
}

/** The rules that limit the number of pods of the group on one host. */
export function hostCapsOf({ rules, hostCounters }: Demand): BacklogGroup['hostCaps'] {
  return rules.onHost.flatMap((rule) => {
    if (rule.kind === 'spread') return rule.self === 0 ? [] : [{ counter: rule.counter, max: rule.maxSkew }];
    return rule.kind === 'repel' && hostCounters.includes(rule.counter) ? [{ counter: rule.counter, max: 1 }] : [];
  });
}
