import { firstNames } from '../../apis/counted.ts';
import { MINUTE_MS, SECOND_MS } from '../../apis/formats/time.ts';
import { type Pod, podKey } from '../../apis/kubernetes.ts';
import { isProvisionable, pendingSinceMs } from '../cluster/pods.ts';
import type { Schedule } from '../scheduling/schedule.ts';
import { MAX_NAMES, type Problem } from './problems.ts';

/** A node usually takes one to two minutes from the first pending pod to the running pod. */
const WAITS_TOO_LONG_MS = 5 * MINUTE_MS;

/**
 * The pods that have been pending for long and that the schedule places: only Kerf, EC2 or the node can delay them. A pod that
 * does not fit any node is not one of them: its refusal says what to change.
 */
export function waitingPods(pods: readonly Pod[], schedule: Schedule, nowMs: number): readonly Problem[] {
  const placed = new Set([...schedule.newClaims, ...schedule.existing].flatMap((one) => one.pods.map(podKey)));
  const waiting = pods.flatMap((pod) => {
    const sinceMs = isProvisionable(pod) && placed.has(podKey(pod)) ? pendingSinceMs(pod) : undefined;
    return sinceMs !== undefined && nowMs - sinceMs > WAITS_TOO_LONG_MS ? [{ pod, sinceMs }] : [];
  });
  const oldestFirst = waiting.toSorted((a, b) => a.sinceMs - b.sinceMs);
  const [oldest] = oldestFirst;
  if (oldest === undefined) return [];
  const oldestSeconds = Math.floor((nowMs - oldest.sinceMs) / SECOND_MS);
  const names = oldestFirst.map(({ pod }) => podKey(pod));
  return [
    {
      kind: 'WaitingPods',
      message: `${firstNames(names, MAX_NAMES)}: pending for ${Math.floor(oldestSeconds / 60)} minutes, although Kerf has a node for them`,
      numbers: { pods: waiting.length, oldestSeconds },
    },
  ];
}
