export type TickedFunction = 'provisioning' | 'lifecycle' | 'disruption' | 'termination';

/** The functions that reconcile a cluster. */
const TICKED: readonly TickedFunction[] = ['provisioning', 'lifecycle', 'disruption', 'termination'];

/**
 * Lifecycle reads the NodeClaims and wakes provisioning and disruption if there is work. Termination has a tick of its own: it needs no
 * answer of the API server, and a spot instance has two minutes, also if lifecycle fails or no wake can be sent. In shadow, lifecycle does nothing.
 */
export function tickedEachMinute({ shadow }: { readonly shadow: boolean }): readonly TickedFunction[] {
  return shadow ? ['provisioning', 'disruption'] : ['lifecycle', 'termination'];
}

/**
 * The other functions have ticks of their own too, so that they go on if lifecycle fails in each run, or cannot send wakes. *Cost:* a run of
 * the two large functions, most of what they cost in a cluster without nodes.
 */
export const SLOW_TICK_MINUTES = 5;

export function tickedSlowly(cluster: { readonly shadow: boolean }): readonly TickedFunction[] {
  const often = tickedEachMinute(cluster);
  return TICKED.filter((name) => !often.includes(name));
}
