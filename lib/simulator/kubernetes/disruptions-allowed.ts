import type { PodDisruptionBudget } from '../../apis/kubernetes.ts';
import { selectsPod } from '../../core/cluster/pod-disruption-budgets.ts';
import { isActive, isReady } from '../../core/cluster/pods.ts';
import type { KubernetesState } from './state.ts';

/** How many pods a budget lets go just now: what Kubernetes's disruption controller writes to its status. */
export function disruptionsAllowed(budget: PodDisruptionBudget, state: KubernetesState): number {
  const mine = [...state.pods.values()].filter((pod) => selectsPod(budget, pod) && isActive(pod));
  const healthy = mine.filter(isReady).length;
  const expected = Math.max(mine.length, askedFor(budget, state));
  const { minAvailable, maxUnavailable } = budget.spec;
  if (maxUnavailable !== undefined) return Math.max(0, healthy - (expected - scaled(maxUnavailable, expected)));
  return Math.max(0, healthy - scaled(minAvailable ?? 1, expected));
}

/** A Deployment's replicas are counted, whether or not they are there. */
function askedFor(budget: PodDisruptionBudget, { deployments }: KubernetesState): number {
  const mine = [...deployments.values()].filter(({ metadata: { name, namespace = 'default' }, spec: { template } }) =>
    selectsPod(budget, { metadata: { name, namespace, ...template.metadata }, spec: template.spec }),
  );
  return mine.reduce((sum, { spec }) => sum + (spec.replicas ?? 1), 0);
}

/** Percentages of the pods round up, as in Kubernetes. */
function scaled(value: number | string, of: number): number {
  return typeof value === 'string' && value.endsWith('%')
    ? Math.ceil((Number(value.slice(0, -1)) * of) / 100)
    : Number(value);
}
