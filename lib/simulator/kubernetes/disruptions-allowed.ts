import type { PodDisruptionBudget } from '../../apis/kubernetes.ts';
import { selectsPod } from '../../core/cluster/pod-disruption-budgets.ts';
import { isActive, isReady } from '../../core/cluster/pods.ts';
import type { KubernetesState } from './state.ts';

/** The `disruptionsAllowed` of a budget, as the disruption controller of Kubernetes computes it. */
export function disruptionsAllowed(budget: PodDisruptionBudget, state: KubernetesState): number {
  const selected = [...state.pods.values()].filter((pod) => selectsPod(budget, pod) && isActive(pod));
  const healthy = selected.filter(isReady).length;
  const expected = Math.max(selected.length, desiredReplicas(budget, state));
  const { minAvailable, maxUnavailable } = budget.spec;
  if (maxUnavailable !== undefined) return Math.max(0, healthy - (expected - scaled(maxUnavailable, expected)));
  return Math.max(0, healthy - scaled(minAvailable ?? 1, expected));
}

/** The desired replicas of the Deployments that the budget selects. */
function desiredReplicas(budget: PodDisruptionBudget, { deployments }: KubernetesState): number {
  const selected = [...deployments.values()].filter(
    ({ metadata: { name, namespace = 'default' }, spec: { template } }) =>
      selectsPod(budget, { metadata: { name, namespace, ...template.metadata }, spec: template.spec }),
  );
  return selected.reduce((sum, { spec }) => sum + (spec.replicas ?? 1), 0);
}

/** Percentages are rounded up, as in Kubernetes. */
function scaled(value: number | string, of: number): number {
  return typeof value === 'string' && value.endsWith('%')
    ? Math.ceil((Number(value.slice(0, -1)) * of) / 100)
    : Number(value);
}
