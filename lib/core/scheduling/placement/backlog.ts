import type { Pod } from '../../../apis/kubernetes.ts';
import type { Demand } from '../pods/demand.ts';
import type { PoolTypeIndex } from '../pools/type-index.ts';
import type { Counter } from '../topology/counters.ts';

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
