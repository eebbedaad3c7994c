type TickedFunction = 'provisioning' | 'lifecycle' | 'disruption' | 'termination';

/** The functions that reconcile a cluster. */
const TICKED: readonly TickedFunction[] = ['provisioning', 'lifecycle', 'disruption', 'termination'];

/**
 * Lifecycle reads the NodeClaims and wakes the functions for which there is work, so a minute of an idle cluster has one run. In
 * shadow, lifecycle does nothing.
 */
export function tickedEachMinute({ shadow }: { readonly shadow: boolean }): readonly TickedFunction[] {
  return shadow ? ['provisioning', 'disruption'] : ['lifecycle'];
}

/** The other functions have ticks of their own, so that they go on if lifecycle fails in each run, or cannot send wakes: a spot instance has two minutes. */
export const SLOW_TICK_MINUTES = 2;

export function tickedSlowly(cluster: { readonly shadow: boolean }): readonly TickedFunction[] {
  const often = tickedEachMinute(cluster);
  return TICKED.filter((name) => !often.includes(name));
}
