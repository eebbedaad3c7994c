import type { CapacityBuffer } from '../../apis/capacity-buffer.ts';
import type { FieldProblem } from '../validation/field-problem.ts';

const STRATEGY = 'buffer.x-k8s.io/active-capacity';
const SCALABLE = ['Deployment', 'StatefulSet', 'ReplicaSet'];

/** What a valid CapacityBuffer says that is legal and has no effect (A5.2 to A5.4). */
export function capacityBufferAdvice({ spec }: CapacityBuffer): readonly FieldProblem[] {
  const { provisioningStrategy, podTemplateRef, scalableRef } = spec;
  if (provisioningStrategy !== STRATEGY) {
    const message = `is ${JSON.stringify(provisioningStrategy)}: the buffer is left alone, since Kerf knows one strategy only`;
    return [{ path: ['spec', 'provisioningStrategy'], message, allowed: `${STRATEGY}, or leave it out` }];
  }
  if (podTemplateRef === undefined && scalableRef === undefined) {
    const message = 'has neither podTemplateRef nor scalableRef, so nobody knows what to keep room for';
    return [
      { path: ['spec'], message, allowed: 'podTemplateRef, or scalableRef with the kind and name of a workload' },
    ];
  }
  return [...unknownScalable(spec), ...ineffectivePercentage(spec), ...noAmount(spec)];
}

function unknownScalable({ scalableRef }: CapacityBuffer['spec']): readonly FieldProblem[] {
  if (scalableRef === undefined || SCALABLE.includes(scalableRef.kind)) return [];
  const message = `is ${scalableRef.kind}, which has no pod template that Kerf reads, so the buffer stays empty`;
  return [{ path: ['spec', 'scalableRef', 'kind'], message, allowed: `one of ${SCALABLE.join(', ')}` }];
}

function ineffectivePercentage({ percentage, podTemplateRef }: CapacityBuffer['spec']): readonly FieldProblem[] {
  if (percentage === undefined || podTemplateRef === undefined) return [];
  const message = `is ${percentage} of nothing: a podTemplateRef has no replicas, so it has no effect`;
  return [
    { path: ['spec', 'percentage'], message, allowed: 'replicas instead, or scalableRef instead of podTemplateRef' },
  ];
}

function noAmount({ replicas, percentage, limits }: CapacityBuffer['spec']): readonly FieldProblem[] {
  if (replicas !== undefined || percentage !== undefined || limits !== undefined) return [];
  const message = 'says nowhere how much room to keep, so the buffer stays empty';
  return [{ path: ['spec'], message, allowed: 'replicas, percentage or limits' }];
}
