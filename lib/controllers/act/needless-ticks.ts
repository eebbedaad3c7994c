import { SECOND_MS } from '../../apis/formats/time.ts';
import { type CoalescedWake, reasonsOf } from '../run/coalesce-wakes.ts';

/** A tick of each minute may be late by some seconds. */
const LAST_PASSED_ON_MS = 90 * SECOND_MS;

/**
 * Whether a wake of disruption is its own tick (`SLOW_TICK_MINUTES`), while lifecycle wakes it each minute. Kept in the memory of a process:
 * a new process has one run more.
 */
export function needlessTicks(): (wake: CoalescedWake, nowMs: number) => boolean {
  const passedOnMs = new Map<string, number>();
  return (wake, nowMs) => {
    const { cluster, times } = wake;
    if (!reasonsOf(wake).includes('tick')) return false;
    // A wake of lifecycle comes from the queue, perhaps together with others. Its own tick does not.
    if (times === undefined) return nowMs - (passedOnMs.get(cluster) ?? Number.NEGATIVE_INFINITY) < LAST_PASSED_ON_MS;
    passedOnMs.set(cluster, nowMs);
    return false;
  };
}
