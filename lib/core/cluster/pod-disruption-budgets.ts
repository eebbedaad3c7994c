import { type Pod, type PodDisruptionBudget, selectorMatches } from '../../apis/kubernetes.ts';
import { isReady } from './pods.ts';

export function selectsPod({ metadata, spec }: PodDisruptionBudget, pod: Pod): boolean {
  const sameNamespace = (metadata.namespace ?? 'default') === (pod.metadata.namespace ?? 'default');
  return sameNamespace && selectorMatches(spec.selector, pod.metadata.labels);
}

/** Whether the budget always allows the eviction of the pod, because it is not ready (AlwaysAllow). */
export function isUnhealthyExempt({ spec }: PodDisruptionBudget, pod: Pod): boolean {
  return spec.unhealthyPodEvictionPolicy === 'AlwaysAllow' && !isReady(pod);
}

/** B7: a budget that never allows an eviction, independent of the state of the pods. */
export function allowsNoEviction({ spec }: PodDisruptionBudget): boolean {
  return ['0', '0%'].includes(String(spec.maxUnavailable)) || spec.minAvailable === '100%';
}

/** Whether the budget allows no eviction of the pod now. */
export function holds(budget: PodDisruptionBudget, pod: Pod): boolean {
  return selectsPod(budget, pod) && !isUnhealthyExempt(budget, pod) && (budget.status?.disruptionsAllowed ?? 0) === 0;
}
