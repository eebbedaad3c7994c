import type { TopologySpreadConstraint } from '../../../apis/kubernetes.ts';
import type { CountRule, DomainCounts } from './scheduler-domain-counts.ts';
import type { SchedulerNode } from './scheduler-node.ts';
import type { PodKind } from './scheduler-pod-kind.ts';
import { allOf, simulatedSpreadSelector, termSelector } from './scheduler-selectors.ts';
import { affinityCount, requiredAntiAffinity, spreadCount } from './scheduler-topology-counts.ts';

/** The topology spread and pod affinity rules of a kind of pods. */
export interface SimulatedTopologyRules {
  /** Whether one more of these pods can be on the node with the current pods. */
  readonly allows: (node: SchedulerNode) => boolean;
  /** The weight of the preferences that the node would not meet; 0 if it meets all. */
  readonly unmetWishes: (node: SchedulerNode) => number;
}

export interface Counting {
  /** The count of the rule, which is kept up to date. */
  readonly countFor: (rule: CountRule) => DomainCounts;
  /** The current counts of pods whose anti-affinity excludes this kind. */
  readonly avoiding: () => readonly { readonly counts: DomainCounts }[];
}

/** The weight of each pod above the allowed skew of a ScheduleAnyway constraint: that of the heaviest preference. */
const SPREAD_WEIGHT = 100;

export function topologyRules(kind: PodKind, counting: Counting): SimulatedTopologyRules {
  const spreads = spreadRules(kind, 'DoNotSchedule', counting);
  const wishedSpreads = spreadRules(kind, 'ScheduleAnyway', counting);
  const joins = joinRule(kind, counting);
  const avoided = requiredAntiAffinity(kind).map((term) =>
    counting.countFor(affinityCount(term.topologyKey, termSelector(term, kind))),
  );
  const preferred = preferences(kind, counting);
  return {
    allows: (node) =>
      avoided.every((counts) => podsBeside(node, counts) === 0) &&
      counting.avoiding().every(({ counts }) => podsBeside(node, counts) === 0) &&
      spreads.every((tooMany) => tooMany(node) === 0) &&
      joins(node),
    unmetWishes: (node) => {
      let unmet = 0;
      for (const tooMany of wishedSpreads) unmet += SPREAD_WEIGHT * tooMany(node);
      for (const weightOf of preferred) unmet += weightOf(node);
      return unmet;
    },
  };
}

/** For each constraint: by how many pods the node's domain would exceed the allowed skew. */
function spreadRules(
  kind: PodKind,
  hardness: TopologySpreadConstraint['whenUnsatisfiable'],
  { countFor }: Counting,
): readonly ((node: SchedulerNode) => number)[] {
  const together = (kind.spec.topologySpreadConstraints ?? []).filter((one) => one.whenUnsatisfiable === hardness);
  return together.map((constraint) => {
    const counts = countFor(spreadCount(constraint, kind, together));
    const self = simulatedSpreadSelector(constraint, kind).selects(kind) ? 1 : 0;
    const { maxSkew, minDomains = 1 } = constraint;
    return (node) => {
      const domain = counts.domainOf(node);
      // A node without a domain never meets the constraint, so it exceeds the skew by 1.
      if (domain === undefined) return 1;
      const least = counts.size() < minDomains ? 0 : counts.least();
      return Math.max(0, counts.podsIn(domain) + self - least - maxSkew);
    };
  });
}

/**
 * Required pod affinity: the domain must have pods that all terms select. If no such pod exists and the terms select the pod
 * itself, any node with the topology labels fits.
 */
function joinRule(kind: PodKind, { countFor }: Counting): (node: SchedulerNode) => boolean {
  const terms = kind.spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const selector = allOf(terms.map((term) => termSelector(term, kind)));
  const joined = terms.map((term) => countFor(affinityCount(term.topologyKey, selector)));
  const selectsItself = selector.selects(kind);
  return (node) =>
    joined.every((counts) => podsBeside(node, counts) > 0) ||
    (selectsItself && joined.every((counts) => counts.domainOf(node) !== undefined && counts.total() === 0));
}

/** For each preferred term of pod affinity and anti-affinity: its weight if the node does not meet it. */
function preferences(kind: PodKind, { countFor }: Counting): readonly ((node: SchedulerNode) => number)[] {
  const { podAffinity, podAntiAffinity } = kind.spec.affinity ?? {};
  const rules = (from: typeof podAffinity, isMet: (pods: number) => boolean): ((node: SchedulerNode) => number)[] =>
    (from?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ weight, podAffinityTerm }) => {
      const counts = countFor(affinityCount(podAffinityTerm.topologyKey, termSelector(podAffinityTerm, kind)));
      return (node) => (isMet(podsBeside(node, counts)) ? 0 : weight);
    });
  return [...rules(podAffinity, (pods) => pods > 0), ...rules(podAntiAffinity, (pods) => pods === 0)];
}

/** The counted pods in the node's domain; 0 without a domain. */
function podsBeside(node: SchedulerNode, counts: DomainCounts): number {
  const domain = counts.domainOf(node);
  return domain === undefined ? 0 : counts.podsIn(domain);
}
