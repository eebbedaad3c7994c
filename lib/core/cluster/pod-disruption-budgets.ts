import { type Pod, type PodDisruptionBudget, selectorMatches } from '../../apis/kubernetes.ts';

export function selectsPod({ metadata, spec }: PodDisruptionBudget, pod: Pod): boolean {
  const sameNamespace = (metadata.namespace ?? 'default') === (pod.metadata.namespace ?? 'default');
  return sameNamespace && selectorMatches(spec.selector, pod.metadata.labels);
}

/** B7: a budget that never allows an eviction, independent of the state of the pods. */
export function allowsNoEviction({ spec }: PodDisruptionBudget): boolean {
  return ['0', '0%'].includes(String(spec.maxUnavailable)) || spec.minAvailable === '100%';
}
