import {
  type LabelSelector,
  namespaceOf,
  type Pod,
  type PodDisruptionBudget,
  selectorMatches,
  type TopologySpreadConstraint,
} from '../../../apis/kubernetes.ts';
import { HOSTNAME } from '../../../apis/labels.ts';
import { fieldOf } from '../../../apis/record.ts';
import { holds, selectsPod } from '../../cluster/pod-disruption-budgets.ts';
import { isActive } from '../../cluster/pods.ts';
import { once } from '../../kept-answers.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { NO_REQUIREMENTS, whyLabelsFail } from '../../requirements/requirements.ts';
import { spreadSelector } from '../../scheduling/pods/pod-affinity-terms.ts';
import { requiredAlternatives } from '../../scheduling/pods/pod-requirements.ts';

type Seen = Pick<ClusterSnapshot, 'pods' | 'nodes' | 'podDisruptionBudgets'>;

/** A spread constraint of pending pods, with one of them. */
interface Spread {
  readonly pod: Pod;
  readonly constraint: TopologySpreadConstraint;
  readonly selector: LabelSelector | undefined;
  /** 1 if the selector selects the pod itself. */
  readonly self: number;
}

/**
 * B7: whether a pod that a budget keeps counts in a domain that is full for a pending pod of that budget: a required spread allows no further
 * pod there. If the plan moved the first pod, the pending pod could be planned in that domain, and the kube-scheduler would not bind it.
 * *Cost:* none without a pod that an exhausted budget keeps; else O(pending pods) for each such budget, and O(nodes + pods) for each of their
 * constraints.
 */
export function awaitedBySpread(seen: Seen, pending: readonly Pod[]): (pod: Pod) => boolean {
  const waits = seen.podDisruptionBudgets.map((budget) => ({
    budget,
    full: once(() => new Set(spreadsOf(budget, pending).flatMap((one) => inFullDomains(seen, one)))),
  }));
  return (held) => waits.some(({ budget, full }) => holds(budget, held) && full().has(held));
}

/**
 * The required constraints of pods of the budget that count pods of drained nodes. Pods with the same constraint, node selector and affinity
 * have one. Another node is always another host, and Honor excludes drained nodes because of their taint.
 */
function spreadsOf(budget: PodDisruptionBudget, pods: readonly Pod[]): MapIterator<Spread> {
  const found = new Map<string, Spread>();
  for (const pod of pods.filter((one) => selectsPod(budget, one))) {
    const { topologySpreadConstraints = [], nodeSelector, affinity } = pod.spec;
    for (const constraint of topologySpreadConstraints) {
      const { whenUnsatisfiable, topologyKey, nodeTaintsPolicy } = constraint;
      if (whenUnsatisfiable !== 'DoNotSchedule' || topologyKey === HOSTNAME || nodeTaintsPolicy === 'Honor') continue;
      const selector = spreadSelector(constraint, pod);
      const self = selectorMatches(selector, pod.metadata.labels) ? 1 : 0;
      const key = JSON.stringify([constraint, selector, self, nodeSelector, affinity]);
      found.set(key, { pod, constraint, selector, self });
    }
  }
  return found.values();
}

/** The pods that the constraint counts in the domains in which it allows no further pod. */
function inFullDomains({ pods, nodes }: Seen, { pod, constraint, selector, self }: Spread): readonly Pod[] {
  const { topologyKey, maxSkew, minDomains = 0, nodeAffinityPolicy } = constraint;
  const counted = pods.filter(
    (one) => isActive(one) && namespaceOf(one) === namespaceOf(pod) && selectorMatches(selector, one.metadata.labels),
  );
  const onNodes = Map.groupBy(counted, ({ spec }) => spec.nodeName);
  const alternatives = nodeAffinityPolicy === 'Ignore' ? [NO_REQUIREMENTS] : requiredAlternatives(pod);
  const domains = Map.groupBy(nodes, ({ metadata: { labels = {} } }) =>
    alternatives.some((asked) => whyLabelsFail(labels, asked) === undefined) ? fieldOf(labels, topologyKey) : undefined,
  );
  domains.delete(undefined);
  const inDomains = [...domains.values()].map((domain) =>
    domain.flatMap(({ metadata }) => onNodes.get(metadata.name) ?? []),
  );
  const least = inDomains.length < minDomains ? 0 : Math.min(...inDomains.map(({ length }) => length));
  return inDomains.filter(({ length }) => length + self - least > maxSkew).flat();
}
