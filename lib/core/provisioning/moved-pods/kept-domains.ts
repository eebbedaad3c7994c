import { namespaceOf, type Pod, type PodAffinityTerm, selectorMatches } from '../../../apis/kubernetes.ts';
import { HOSTNAME } from '../../../apis/labels.ts';
import { fieldOf } from '../../../apis/record.ts';
import { selectsPod } from '../../cluster/pod-disruption-budgets.ts';
import { isActive } from '../../cluster/pods.ts';
import type { StateNode } from '../../cluster/state-node.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { requiredAffinityTerms } from '../../scheduling/pods/pod-affinity-terms.ts';

type Seen = Pick<ClusterSnapshot, 'pods' | 'podDisruptionBudgets'>;

/**
 * B7: a pod with required affinity to pods of its namespace that a budget does not let go together stays in its zone. The pod that is
 * evicted first can be bound only where the others still run. If the plan moved all of them to another zone, the kube-scheduler would leave
 * the planned node empty, another node would be launched in the old zone, and the same move would be found again. *Shape:* the pod, with its
 * zone as node selector if it must stay. *Cost:* none without required affinity; else O(pods) once for each affinity term, and
 * O(moved pods × budgets) in a call.
 */
export function keptDomains({ pods, podDisruptionBudgets }: Seen): (removed: readonly StateNode[]) => Pin {
  const places = new Map<string, readonly Pod[]>();
  const matching = (namespace: string, { labelSelector }: PodAffinityTerm): readonly Pod[] => {
    const key = JSON.stringify([namespace, labelSelector]);
    const known = places.get(key);
    if (known !== undefined) return known;
    const found = pods.filter(
      (one) =>
        one.spec.nodeName !== undefined &&
        isActive(one) &&
        namespaceOf(one) === namespace &&
        selectorMatches(labelSelector, one.metadata.labels),
    );
    places.set(key, found);
    return found;
  };
  return (removed) => {
    const names = new Set(removed.map(({ name }) => name));
    const isMoved = ({ spec }: Pod): boolean => names.has(spec.nodeName ?? '');
    let held: ReadonlySet<Pod> | undefined;
    const oneByOne = (): ReadonlySet<Pod> => {
      held ??= heldInTurn(
        removed.flatMap((node) => node.pods),
        podDisruptionBudgets,
      );
      return held;
    };
    return (pod, { labels }) => {
      const kept = requiredAffinityTerms(pod).filter((term) => {
        const { topologyKey, namespaces, namespaceSelector } = term;
        if (topologyKey === HOSTNAME || fieldOf(labels, topologyKey) === undefined) return false;
        if (namespaces !== undefined || namespaceSelector !== undefined) return false;
        const beside = matching(namespaceOf(pod), term);
        // A pod that stays is found soon, and then no budget is read.
        return (
          beside.every((one) => one === pod || isMoved(one)) && beside.some((one) => one !== pod && oneByOne().has(one))
        );
      });
      if (kept.length === 0) return pod;
      const domains = Object.fromEntries(kept.map(({ topologyKey }) => [topologyKey, labels[topologyKey] ?? '']));
      return { ...pod, spec: { ...pod.spec, nodeSelector: { ...pod.spec.nodeSelector, ...domains } } };
    };
  };
}

/** The pods that a budget does not let go together. */
function heldInTurn(moved: readonly Pod[], budgets: Seen['podDisruptionBudgets']): ReadonlySet<Pod> {
  return new Set(
    budgets.flatMap((budget) => {
      const mine = moved.filter((pod) => selectsPod(budget, pod));
      return mine.length > (budget.status?.disruptionsAllowed ?? 0) ? mine : [];
    }),
  );
}

type Pin = (pod: Pod, node: StateNode) => Pod;
