import type { Pod, PodDisruptionBudget } from '../../apis/kubernetes.ts';
import { selectsPod } from '../../core/cluster/pod-disruption-budgets.ts';
import { isActive, isReady } from '../../core/cluster/pods.ts';

/** How many pods a budget lets go just now: what Kubernetes's disruption controller writes to its status. */
export function disruptionsAllowed(budget: PodDisruptionBudget, pods: Iterable<Pod>): number {
  const mine = [...pods].filter((pod) => selectsPod(budget, pod) && isActive(pod));
  const healthy = mine.filter(isReady).length;
  const { minAvailable, maxUnavailable } = budget.spec;
  if (maxUnavailable !== undefined) return Math.max(0, healthy - (mine.length - scaled(maxUnavailable, mine.length)));
  return Math.max(0, healthy - scaled(minAvailable ?? 1, mine.length));
}

/** Percentages of the pods round up, as in Kubernetes. */
function scaled(value: number | string, of: number): number {
  return typeof value === 'string' && value.endsWith('%')
    ? Math.ceil((Number(value.slice(0, -1)) * of) / 100)
    : Number(value);
}
