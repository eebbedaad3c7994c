import { controllerOf, type Labels, type Pod, type PodDisruptionBudget } from '../../apis/kubernetes.ts';
import { selectsPod } from '../../core/cluster/pod-disruption-budgets.ts';
import { isActive, isReady } from '../../core/cluster/pods.ts';
import type { StateWatcher } from './pod-index.ts';

/** The pods that a budget selects. */
export interface BudgetCount {
  /** All of them, also terminating and ended ones, as in Kubernetes. */
  readonly selected: number;
  /** Those that are active and ready. */
  readonly healthy: number;
  /** By the UID of their controller: the number of its pods, and one of them. */
  readonly controllers: ReadonlyMap<string, { readonly pod: Pod; readonly count: number }>;
}

/** The same, while pods come and go. */
interface RunningCount extends BudgetCount {
  selected: number;
  healthy: number;
  readonly controllers: Map<string, { readonly pod: Pod; readonly count: number }>;
}

interface Counted {
  readonly budget: PodDisruptionBudget;
  readonly count: RunningCount;
}

/** Counts the pods of each budget from its first question on. *Cost:* O(pods) for the first; O(budgets) for each write of a pod. */
export function budgetCounts(
  pods: ReadonlyMap<string, Pod>,
  watchers: StateWatcher[],
): (budget: PodDisruptionBudget) => BudgetCount {
  const counts = new Map<PodDisruptionBudget, RunningCount>();
  watchers.push({
    pod(before, after) {
      for (const [budget, count] of counts) {
        if (before !== undefined) add({ budget, count }, before, -1);
        if (after !== undefined) add({ budget, count }, after, 1);
      }
    },
  });
  return (budget) => {
    const known = counts.get(budget);
    if (known !== undefined) return known;
    const count: RunningCount = { selected: 0, healthy: 0, controllers: new Map() };
    for (const pod of pods.values()) add({ budget, count }, pod, 1);
    counts.set(budget, count);
    return count;
  };
}

function add({ budget, count }: Counted, pod: Pod, by: 1 | -1): void {
  if (!isSelected(budget, pod)) return;
  count.selected += by;
  if (isActive(pod) && isReady(pod)) count.healthy += by;
  const uid = controllerOf(pod)?.uid;
  if (uid === undefined) return;
  const pods = (count.controllers.get(uid)?.count ?? 0) + by;
  if (pods === 0) count.controllers.delete(uid);
  else count.controllers.set(uid, { pod, count: pods });
}

/** Answers by the labels object, which the pods of a template share. */
const answers = new WeakMap<PodDisruptionBudget, WeakMap<Labels, boolean>>();

/** `selectsPod` for many pods of few templates. */
function isSelected(budget: PodDisruptionBudget, pod: Pod): boolean {
  const { labels, namespace = 'default' } = pod.metadata;
  if (namespace !== (budget.metadata.namespace ?? 'default')) return false;
  if (labels === undefined) return selectsPod(budget, pod);
  const known = answers.get(budget) ?? new WeakMap<Labels, boolean>();
  answers.set(budget, known);
  const answer = known.get(labels) ?? selectsPod(budget, pod);
  known.set(labels, answer);
  return answer;
}
