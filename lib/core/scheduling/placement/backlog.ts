import type { Pod } from '../../../apis/kubernetes.ts';
import type { Demand } from '../pods/demand.ts';
import type { PoolTypeIndex } from '../pools/type-index.ts';
import type { Counter } from '../topology/counters.ts';

/** The pods of a class that have no place yet. */
export interface BacklogGroup {
  readonly demand: Demand;
  pods: readonly Pod[];
  /** How many of them are placed: the first ones. */
  placed: number;
  /** The pool that a new node for them would be of, if one will do (B35). */
  readonly types: PoolTypeIndex | undefined;
  /** What keeps such pods to a few on each host: the rule's counter, and how many. */
  readonly hostCaps: readonly { readonly counter: Counter; readonly most: number }[];
}

/** Whether a new node of the pool would be for the group: its own pool, or another where that one has nothing left. */
export function comesTo(
  { types: own }: BacklogGroup,
  types: PoolTypeIndex,
  exhausted: ReadonlySet<PoolTypeIndex>,
): boolean {
  return own === types || (own !== undefined && exhausted.has(own));
}

export function remainingOf({ pods, placed }: BacklogGroup): number {
  return pods.length - placed;
}

/** Rules that let only so many pods of the group be on one host. */
export function hostCapsOf({ rules, hostCounters }: Demand): BacklogGroup['hostCaps'] {
  return rules.onHost.flatMap((rule) => {
    if (rule.kind === 'spread') return rule.self === 0 ? [] : [{ counter: rule.counter, most: rule.maxSkew }];
    return rule.kind === 'repel' && hostCounters.includes(rule.counter) ? [{ counter: rule.counter, most: 1 }] : [];
  });
}
