import {
  controllerOf,
  namespaceOf,
  type Pod,
  type PodDisruptionBudget,
  type ScalableWorkload,
} from '../../apis/kubernetes.ts';
import { SCALABLE_KINDS } from '../../apis/workloads.ts';
import { workloadIn, workloadOf } from '../../core/cluster/workload-of.ts';
import type { KubernetesState } from './state.ts';
import { scalable } from './workloads/scale.ts';

type Status = NonNullable<PodDisruptionBudget['status']>;
type Counts = Required<Omit<Status, 'conditions' | 'observedGeneration'>>;

/**
 * The status of a budget, as the disruption controller of Kubernetes computes it. A number as minAvailable is of the pods that the
 * budget selects; every other rule is of the replicas of their controllers, and pods without a controller do not count.
 * *Shape:* no disruption is allowed, and a condition has the cause, if a controller has no replicas.
 */
export function budgetStatus(budget: PodDisruptionBudget, state: KubernetesState): Counts & Pick<Status, 'conditions'> {
  const { selected, healthy, controllers } = state.budgetCounts(budget);
  const { minAvailable = 1, maxUnavailable } = budget.spec;
  if (maxUnavailable === undefined && typeof minAvailable === 'number')
    return counts({ expectedPods: selected, desiredHealthy: minAvailable, currentHealthy: healthy });
  const workloads = new Set<ScalableWorkload>();
  for (const { pod } of controllers.values()) {
    const workload = replicatedWorkload(pod, state);
    if (workload === undefined) return syncFailed(pod);
    workloads.add(workload);
  }
  const expectedPods = [...workloads].reduce((sum, { spec }) => sum + (spec.replicas ?? 1), 0);
  const desiredHealthy =
    maxUnavailable === undefined
      ? scaled(minAvailable, expectedPods)
      : Math.max(0, expectedPods - scaled(maxUnavailable, expectedPods));
  return counts({ expectedPods, desiredHealthy, currentHealthy: healthy });
}

/** A budget that expects no pods allows no disruption. */
function counts(all: Omit<Counts, 'disruptionsAllowed'>): Counts {
  const { expectedPods, desiredHealthy, currentHealthy } = all;
  return { ...all, disruptionsAllowed: expectedPods === 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy) };
}

function syncFailed(pod: Pod): ReturnType<typeof budgetStatus> {
  const message = `found no replicas of ${workloadOf(pod)}`;
  return {
    ...counts({ expectedPods: 0, desiredHealthy: 0, currentHealthy: 0 }),
    conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message }],
  };
}

/** The workload whose replicas the pod is one of: its controller, or the Deployment of its ReplicaSet. */
function replicatedWorkload(pod: Pod, state: KubernetesState): ScalableWorkload | undefined {
  // First by the name in the reference: a ReplicaSet without a Deployment can have a name that ends as if it had one.
  const controllers = [controllerOf(pod), workloadIn(pod)];
  for (const controller of controllers) {
    const kind = SCALABLE_KINDS.find((one) => one === controller?.kind);
    const found = kind && scalable(state, kind).get(`${namespaceOf(pod)}/${controller?.name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Percentages are rounded up, as in Kubernetes. */
function scaled(value: number | string, of: number): number {
  return typeof value === 'string' && value.endsWith('%')
    ? Math.ceil((Number(value.slice(0, -1)) * of) / 100)
    : Number(value);
}
