import { type Pod, type PodDisruptionBudget, selectorMatches } from '../../apis/kubernetes.ts';
import { isActive, isReady } from '../../core/cluster/pods.ts';

/** How many pods a budget lets go just now: what Kubernetes's disruption controller writes to its status. */
export function disruptionsAllowed(budget: PodDisruptionBudget, pods: Iterable<Pod>): number {
  const mine = [...pods].filter((pod) => selects(budget, pod) && isActive(pod));
  const healthy = mine.filter(isReady).length;
  const { minAvailable, maxUnavailable } = budget.spec;
  if (maxUnavailable !== undefined) return Math.max(0, healthy - (mine.length - scaled(maxUnavailable, mine.length)));
  return Math.max(0, healthy - scaled(minAvailable ?? 1, mine.length));
}

export function selects(budget: PodDisruptionBudget, pod: Pod): boolean {
  const sameNamespace = (budget.metadata.namespace ?? 'default') === (pod.metadata.namespace ?? 'default');
  return sameNamespace && selectorMatches(budget.spec.selector, pod.metadata.labels);
}

/** Percentages of the pods round up, as in Kubernetes. */
function scaled(value: number | string, of: number): number {
  return typeof value === 'string' && value.endsWith('%')
    ? Math.ceil((Number(value.slice(0, -1)) * of) / 100)
    : Number(value);
}
