import type { CapacityBuffer } from '../../apis/capacity-buffer.ts';
import type { FieldProblem } from '../../core/validation/field-problem.ts';

const STRATEGY = 'buffer.x-k8s.io/active-capacity';
const SCALABLE = ['Deployment', 'StatefulSet', 'ReplicaSet'];

/** Warns of settings in a valid CapacityBuffer that have no effect (A5.2 to A5.4). */
export function capacityBufferAdvice({ spec }: CapacityBuffer): readonly FieldProblem[] {
  const { provisioningStrategy, podTemplateRef, scalableRef } = spec;
  if (provisioningStrategy !== STRATEGY) {
    const message = `is ${JSON.stringify(provisioningStrategy)}: the buffer is ignored, because Kerf supports only one strategy`;
    return [{ path: ['spec', 'provisioningStrategy'], message, allowed: `${STRATEGY}, or remove it` }];
  }
  if (podTemplateRef === undefined && scalableRef === undefined) {
    const message = 'has neither podTemplateRef nor scalableRef, so the size of the capacity to keep is unknown';
    return [
      { path: ['spec'], message, allowed: 'podTemplateRef, or scalableRef with the kind and name of a workload' },
    ];
  }
  return [...unknownScalable(spec), ...ineffectivePercentage(spec), ...noAmount(spec)];
}

function unknownScalable({ scalableRef }: CapacityBuffer['spec']): readonly FieldProblem[] {
  if (scalableRef === undefined || SCALABLE.includes(scalableRef.kind)) return [];
  const message = `is ${scalableRef.kind}, which Kerf does not support, so the buffer stays empty`;
  return [{ path: ['spec', 'scalableRef', 'kind'], message, allowed: `one of ${SCALABLE.join(', ')}` }];
}

function ineffectivePercentage({ percentage, podTemplateRef }: CapacityBuffer['spec']): readonly FieldProblem[] {
  if (percentage === undefined || podTemplateRef === undefined) return [];
  const message = `is ${percentage}, which has no effect: a PodTemplate has no replicas`;
  return [
    { path: ['spec', 'percentage'], message, allowed: 'replicas instead, or scalableRef instead of podTemplateRef' },
  ];
}

function noAmount({ replicas, percentage, limits }: CapacityBuffer['spec']): readonly FieldProblem[] {
  if (replicas !== undefined || percentage !== undefined || limits !== undefined) return [];
  const message = 'does not set how much capacity to keep, so the buffer stays empty';
  return [{ path: ['spec'], message, allowed: 'replicas, percentage or limits' }];
}
