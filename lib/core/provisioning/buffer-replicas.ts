import type { CapacityBuffer } from '../../apis/capacity-buffer.ts';
import type { PodTemplate } from '../../apis/kubernetes.ts';
import { podRequests } from '../resources/pod-requests.ts';
import { parseResources } from '../resources/resources.ts';

/**
 * How many pods a buffer keeps room for: the larger of `replicas` and `percentage` of the workload's scale, and no more
 * than fit into `limits`; limits alone are filled.
 * *Source:* A5.3. A percentage of a workload without pods is none: to Karpenter it says nothing there, so that limits
 * beside it are filled for a workload that is switched off.
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

/** Undefined where the limits are of nothing that the pod asks for. A pod's own slot counts: `pods: 5` is five. */
function mostWithin(limits: NonNullable<CapacityBuffer['spec']['limits']>, template: PodTemplate): number | undefined {
  const requests = podRequests({ metadata: { name: '' }, spec: template.spec });
  const counts = Object.entries(parseResources(limits)).flatMap(([name, limit]) => {
    const request = requests[name] ?? 0;
    return request === 0 ? [] : [Math.max(0, Math.floor(limit / request))];
  });
  return counts.length === 0 ? undefined : Math.min(...counts);
}
