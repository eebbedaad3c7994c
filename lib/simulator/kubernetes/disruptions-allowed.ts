import type { PodDisruptionBudget } from '../../apis/kubernetes.ts';
import { isSelected } from './budget-counts.ts';
import type { KubernetesState } from './state.ts';

/** The status of a budget, as the disruption controller of Kubernetes computes it. */
export function budgetStatus(
  budget: PodDisruptionBudget,
  state: KubernetesState,
): Required<Omit<NonNullable<PodDisruptionBudget['status']>, 'conditions' | 'observedGeneration'>> {
  const { selected, healthy: currentHealthy } = state.budgetCounts(budget);
  const expectedPods = Math.max(selected, desiredReplicas(budget, state));
  const { minAvailable, maxUnavailable } = budget.spec;
  const desiredHealthy =
    maxUnavailable === undefined
      ? scaled(minAvailable ?? 1, expectedPods)
      : Math.max(0, expectedPods - scaled(maxUnavailable, expectedPods));
  const disruptionsAllowed = Math.max(0, currentHealthy - desiredHealthy);
  return { disruptionsAllowed, expectedPods, desiredHealthy, currentHealthy };
}

/** The desired replicas of the Deployments that the budget selects. */
function desiredReplicas(budget: PodDisruptionBudget, { deployments }: KubernetesState): number {
  const selected = [...deployments.values()].filter(
    ({ metadata: { name, namespace = 'default' }, spec: { template } }) =>
      isSelected(budget, { metadata: { name, namespace, ...template.metadata }, spec: template.spec }),
  );
  return selected.reduce((sum, { spec }) => sum + (spec.replicas ?? 1), 0);
}

/** Percentages are rounded up, as in Kubernetes. */
function scaled(value: number | string, of: number): number {
  return typeof value === 'string' && value.endsWith('%')
    ? Math.ceil((Number(value.slice(0, -1)) * of) / 100)
    : Number(value);
}
