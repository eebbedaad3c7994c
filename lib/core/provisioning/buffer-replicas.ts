import type { CapacityBuffer } from '../../apis/capacity-buffer.ts';
import type { PodTemplate } from '../../apis/kubernetes.ts';
import { podRequests } from '../resources/pod-requests.ts';
import { parseResources, UNREADABLE_OFFER } from '../resources/resources.ts';

/**
 * The number of pods that a buffer keeps capacity for: the larger of `replicas` and `percentage` of the workload's replicas, but
 * not more than `limits` allow. With only limits, as many pods as they allow.
 * *Source:* A5.3. The percentage of a workload with 0 replicas is 0. Karpenter ignores the percentage in this case, and so
 * fills the limits for a workload that is scaled to zero.
 */
export function bufferReplicas({ spec }: CapacityBuffer, template: PodTemplate, scale?: number): number {
  const { replicas, percentage, limits } = spec;
  const wanted = [
    ...(replicas === undefined ? [] : [replicas]),
    ...(percentage === undefined || scale === undefined ? [] : [Math.ceil((scale * percentage) / 100)]),
  ];
  const fitting = limits === undefined ? undefined : mostWithin(limits, template);
  if (wanted.length === 0) return fitting ?? 0;
  return Math.min(Math.max(...wanted), fitting ?? Number.POSITIVE_INFINITY);
}

/** Undefined if the pod requests none of the limited resources. Each pod counts as one: `pods: 5` allows five. */
function mostWithin(limits: NonNullable<CapacityBuffer['spec']['limits']>, template: PodTemplate): number | undefined {
  const requests = podRequests({ metadata: { name: '' }, spec: template.spec });
  const counts = Object.entries(parseResources(limits, UNREADABLE_OFFER)).flatMap(([name, limit]) => {
    const request = requests[name] ?? 0;
    return request === 0 ? [] : [Math.max(0, Math.floor(limit / request))];
  });
  return counts.length === 0 ? undefined : Math.min(...counts);
}
