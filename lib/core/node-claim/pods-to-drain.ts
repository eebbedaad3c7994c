import { parseTime, SECOND_MS } from '../../apis/formats/time.ts';
import type { Pod } from '../../apis/kubernetes.ts';
import { isDrainable } from '../cluster/pods.ts';

/** D21: the kubelet of a pod is gone if the pod should have terminated a minute ago. */
const STUCK_MS = 60 * SECOND_MS;

/** D21: whether a drain waits for the pod. Other pods end together with the node. */
export function isDrained(pod: Pod, nowMs: number): boolean {
  const { deletionTimestamp } = pod.metadata;
  const isStuck = deletionTimestamp !== undefined && nowMs - parseTime(deletionTimestamp) > STUCK_MS;
  return isDrainable(pod) && !isStuck;
}
