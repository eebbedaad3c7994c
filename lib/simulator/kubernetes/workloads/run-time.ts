import { parseDuration } from '../../../apis/formats/duration.ts';
import { MINUTE_MS } from '../../../apis/formats/time.ts';
import type { Pod } from '../../../apis/kubernetes.ts';
import { SIMULATED_DURATION } from '../../../apis/workloads.ts';

/** How long the pod of a Job runs if its template does not say it. */
const DEFAULT_MS = MINUTE_MS;

/**
 * The time from the start of a pod until its containers succeed: that of its annotation. *Shape:* undefined for a pod that runs until
 * it is deleted, as every pod whose containers are always restarted.
 */
export function runTimeOf({ metadata, spec }: Pod): number | undefined {
  const isOfJob = metadata.ownerReferences?.[0]?.kind === 'Job';
  const text = metadata.annotations?.[SIMULATED_DURATION];
  if (!isOfJob && (text === undefined || (spec.restartPolicy ?? 'Always') === 'Always')) return undefined;
  return (text === undefined ? undefined : parseDuration(text)) ?? DEFAULT_MS;
}
