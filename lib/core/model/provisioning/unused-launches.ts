import { HOUR_MS } from '../../../apis/formats/time.ts';

/** The nodes that were launched for a pod and became ready, while the kube-scheduler has bound the pod to none of them. */
export interface UnusedLaunches {
  /** The UID of the pod. */
  readonly pod: string;
  readonly launches: number;
  /** When the first and the last of the counted NodeClaims were created. */
  readonly firstMs: number;
  readonly lastMs: number;
}

/** How long a launch counts. It is longer than the longest wait, so that the count of a pod that waits does not end. */
const COUNTED_MS = 2 * HOUR_MS;

export function countsUntilMs({ lastMs }: Pick<UnusedLaunches, 'lastMs'>): number {
  return lastMs + COUNTED_MS;
}
