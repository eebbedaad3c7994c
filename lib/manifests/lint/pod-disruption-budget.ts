import { counted } from '../../apis/counted.ts';
import { type Deployment, type PodDisruptionBudget, selectorMatches } from '../../apis/kubernetes.ts';
import type { FieldProblem } from '../../core/validation/field-problem.ts';

/** A Deployment, StatefulSet or ReplicaSet of the same files. */
export interface Workload extends Deployment {
  readonly kind: string;
  /** True where an autoscaler, such as a HorizontalPodAutoscaler, sets the number of replicas. */
  readonly autoscaled?: boolean;
}

const NEVER =
  'so its pods can never be evicted, and nodes with these pods drain only after their terminationGracePeriod, or never';

/** Warns of a budget that never allows an eviction, as far as its workloads are known. A budget without a selector has no pods. */
export function podDisruptionBudgetAdvice(
  budget: PodDisruptionBudget,
  workloads: readonly Workload[],
): readonly FieldProblem[] {
  const { selector, minAvailable, maxUnavailable } = budget.spec;
  if (selector === undefined) return [];
  if (maxUnavailable !== undefined) return noneUnavailable(maxUnavailable);
  if (minAvailable === undefined) return [];
  if (percentOf(minAvailable) === 100) {
    return [problem('minAvailable', `is ${minAvailable}, ${NEVER}`, 'a lower percentage, or maxUnavailable: 1')];
  }
  return allNeeded(minAvailable, workloadsOf(budget, workloads));
}

function noneUnavailable(maxUnavailable: number | string): readonly FieldProblem[] {
  if (Number.parseInt(String(maxUnavailable), 10) !== 0) return [];
  return [problem('maxUnavailable', `is ${maxUnavailable}, ${NEVER}`, 'at least 1, or a percentage above 0%')];
}

function workloadsOf({ metadata, spec }: PodDisruptionBudget, workloads: readonly Workload[]): readonly Workload[] {
  return workloads.filter(
    (one) =>
      (one.metadata.namespace ?? 'default') === (metadata.namespace ?? 'default') &&
      selectorMatches(spec.selector, one.spec.template.metadata?.labels),
  );
}

/** Percentages are rounded up, as in Kubernetes. A workload without replicas has one. */
function allNeeded(minAvailable: number | string, workloads: readonly Workload[]): readonly FieldProblem[] {
  if (workloads.some(({ autoscaled = false }) => autoscaled)) return [];
  const replicas = workloads.reduce((sum, { spec }) => sum + (spec.replicas ?? 1), 0);
  const percent = percentOf(minAvailable);
  const needed = percent === undefined ? Number(minAvailable) : Math.ceil((percent * replicas) / 100);
  if (replicas === 0 || !(needed >= replicas)) return [];
  const names = workloads.map(({ kind, metadata }) => `${kind}/${metadata.name}`).join(' and ');
  const have = `${names} ${workloads.length === 1 ? 'has' : 'have'} ${counted(replicas, 'replica')}`;
  const share = percent === undefined ? '' : `, which requires ${needed} of them`;
  const allowed =
    replicas === 1
      ? 'maxUnavailable: 1 instead, or run 2 replicas'
      : `at most ${replicas - 1}, or maxUnavailable: 1 instead`;
  return [problem('minAvailable', `is ${minAvailable}, but ${have}${share}, ${NEVER}`, allowed)];
}

function percentOf(amount: number | string): number | undefined {
  const [, digits] = /^(\d+)%$/.exec(String(amount)) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

function problem(field: 'minAvailable' | 'maxUnavailable', message: string, allowed: string): FieldProblem {
  return { path: ['spec', field], message, allowed };
}
