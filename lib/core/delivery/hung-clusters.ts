import { SECOND_MS } from '../../apis/formats/time.ts';

/** The tick after the pause tries again. */
export const HUNG_PAUSE_MS = 30 * SECOND_MS;

/**
 * The clusters whose last run took the whole time of its invocation. For a while, their wakes go back to the queue at once, so
 * that they do not hold further invocations. Kept in the memory of a process, because a store would be read in every run.
 */
export interface HungClusters {
  readonly abandoned: (cluster: string) => void;
  readonly finished: (cluster: string) => void;
  /** *Shape:* how long the wakes of the cluster wait, or 0. */
  readonly pauseMs: (cluster: string) => number;
}

export function hungClusters(clock: { readonly now: () => number }): HungClusters {
  const untilMs = new Map<string, number>();
  return {
    abandoned: (cluster) => void untilMs.set(cluster, clock.now() + HUNG_PAUSE_MS),
    finished: (cluster) => void untilMs.delete(cluster),
    pauseMs: (cluster) => Math.max(0, (untilMs.get(cluster) ?? -Infinity) - clock.now()),
  };
}
