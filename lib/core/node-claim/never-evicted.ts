import { counted } from '../../apis/counted.ts';
import { namespaceOf, type Pod, type PodDisruptionBudget } from '../../apis/kubernetes.ts';
import { allowsNoEviction, selectsPod } from '../cluster/pod-disruption-budgets.ts';
import { compareText } from '../compare-text.ts';
import { type Refusal, refusal } from '../model/refusal.ts';

/**
 * Why the eviction of a pod is refused for ever, and not only now: its budgets. The message names the budgets and what to change.
 * *Shape:* undefined if the budgets may allow the eviction later. *Cost:* O(budgets).
 */
export function whyNeverEvicted(pod: Pod, budgets: readonly PodDisruptionBudget[]): Refusal | undefined {
  const mine = budgets.filter((budget) => selectsPod(budget, pod)).toSorted((a, b) => compareText(keyOf(a), keyOf(b)));
  const [budget] = mine;
  if (budget === undefined) return undefined;
  if (mine.length > 1) {
    const names = mine.map(keyOf).join(' and ');
    const message = `PodDisruptionBudgets ${names} both select it, and Kubernetes evicts no such pod: keep one of them`;
    return refusal('MultiplePDBs', mine.length === 2 ? message : message.replace('both', 'all'), {
      budgets: mine.length,
    });
  }
  return notComputed(budget) ?? countsNoPods(budget) ?? neverMet(budget);
}

/** The disruption controller has not computed the status of the budget, and until then the API server refuses every eviction. */
function notComputed(budget: PodDisruptionBudget): Refusal | undefined {
  const { metadata, status = {} } = budget;
  const { observedGeneration = 0, conditions = [] } = status;
  const failed = conditions.find(({ type, reason }) => type === 'DisruptionAllowed' && reason === 'SyncFailed');
  if (failed === undefined && observedGeneration >= (metadata.generation ?? 0)) return undefined;
  const why =
    failed?.message ?? `its generation is ${metadata.generation ?? 0}, the computed one ${observedGeneration}`;
  return refusal(
    'PDBNotComputed',
    `Kubernetes has not computed PodDisruptionBudget ${keyOf(budget)} (${why}): its pods need a controller with replicas, such as a Deployment`,
    { generation: metadata.generation ?? 0, observedGeneration },
  );
}

/**
 * The budget selects healthy pods and expects none: it needs the replicas of their controller, and they have no controller with
 * replicas. A budget that requires a number of pods needs no replicas.
 */
function countsNoPods(budget: PodDisruptionBudget): Refusal | undefined {
  const { expectedPods = 0, currentHealthy = 0 } = budget.status ?? {};
  if (expectedPods > 0 || currentHealthy === 0) return undefined;
  return refusal(
    'PDBCountsNoPods',
    `PodDisruptionBudget ${keyOf(budget)} (${ruleOf(budget)}) selects ${counted(currentHealthy, 'healthy pod')} and counts none, because its pods have no controller with replicas, so none can ever be evicted: set minAvailable to a number, or let a controller such as a Deployment create the pods`,
    { expectedPods, currentHealthy },
  );
}

/** The budget requires as many healthy pods as its workload has. */
function neverMet(budget: PodDisruptionBudget): Refusal | undefined {
  const { expectedPods = 0, desiredHealthy = 0, currentHealthy = 0 } = budget.status ?? {};
  if (!allowsNoEviction(budget) && (expectedPods === 0 || desiredHealthy < expectedPods)) return undefined;
  return refusal(
    'PDBNeverMet',
    `PodDisruptionBudget ${keyOf(budget)} (${ruleOf(budget)}) requires ${desiredHealthy} of ${expectedPods} pods, so none can ever be evicted: raise maxUnavailable, lower minAvailable, or add replicas`,
    { desiredHealthy, expectedPods, currentHealthy },
  );
}

/** The default of Kubernetes is minAvailable: 1. */
function ruleOf({ spec }: PodDisruptionBudget): string {
  const { maxUnavailable, minAvailable = 1 } = spec;
  return maxUnavailable === undefined ? `minAvailable: ${minAvailable}` : `maxUnavailable: ${maxUnavailable}`;
}

function keyOf(budget: PodDisruptionBudget): string {
  return `${namespaceOf(budget)}/${budget.metadata.name}`;
}
