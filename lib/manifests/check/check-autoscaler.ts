import type { HorizontalPodAutoscaler } from '../../apis/workloads.ts';
import type { Report } from '../explain/problem.ts';

/** Checks the Kubernetes rules for HorizontalPodAutoscalers that involve more than one field. */
export function checkAutoscaler({ spec }: HorizontalPodAutoscaler, report: Report): void {
  const { minReplicas = 1, maxReplicas, metrics = [] } = spec;
  if (maxReplicas < minReplicas)
    report(
      ['spec', 'maxReplicas'],
      `${maxReplicas} is less than minReplicas, ${minReplicas}`,
      `${minReplicas} or more`,
    );
  for (const [index, { type, resource, containerResource }] of metrics.entries()) {
    const at = ['spec', 'metrics', index];
    if (type === 'Resource' && resource === undefined)
      report([...at, 'resource'], 'is missing for the type Resource', 'it');
    if (type === 'ContainerResource' && containerResource === undefined)
      report([...at, 'containerResource'], 'is missing for the type ContainerResource', 'it');
  }
}
