import type { PodAffinityTerm } from '../../../apis/kubernetes.ts';
import type { CountRule, DomainCounts } from './scheduler-domain-counts.ts';
import type { SchedulerNode } from './scheduler-node.ts';
import type { PodKind } from './scheduler-pod-kind.ts';
import { allOf, simulatedSpreadSelector, termSelector } from './scheduler-selectors.ts';
import { spreadScorer } from './scheduler-spread-score.ts';
import { affinityCount, requiredAntiAffinity, spreadCount } from './scheduler-topology-counts.ts';

/** The topology spread and pod affinity rules of a kind of pods. */
export interface SimulatedTopologyRules {
  /** A check whether one more of these pods can be on a node; undefined if nothing restricts the kind. Valid while no kind of pods is added. */
  readonly check: () => ((node: SchedulerNode) => boolean) | undefined;
  /** PodTopologySpread: a score from 0 to 100 for each of the nodes that fit; undefined if the kind is not spread. */
  readonly spreadScores: Scorer | undefined;
  /** InterPodAffinity: the same; undefined if no pod prefers or avoids the kind, and the kind has no preferences. */
  readonly affinityScores: (nodes: readonly SchedulerNode[]) => readonly number[] | undefined;
}

/** *Shape:* a score for each node, in their order. */
export type Scorer = (nodes: readonly SchedulerNode[]) => readonly number[];

export interface Counting {
  /** The count of the rule, which is kept up to date. */
  readonly countFor: (rule: CountRule) => DomainCounts;
  /** The current counts of pods whose anti-affinity excludes this kind. */
  readonly avoiding: () => readonly { readonly counts: DomainCounts }[];
  /** The current counts of pods that prefer to be with this kind, or without it if the weight is negative. */
  readonly attracting: () => readonly WeightedCounts[];
}

export interface WeightedCounts {
  readonly counts: DomainCounts;
  readonly weight: number;
}

export function topologyRules(kind: PodKind, counting: Counting): SimulatedTopologyRules {
  const spreads = spreadRules(kind, counting);
  const joins = joinRule(kind, counting);
  const avoided = requiredAntiAffinity(kind).map((term) =>
    counting.countFor(affinityCount(term.topologyKey, termSelector(term, kind))),
  );
  const preferred = preferences(kind, counting);
  return {
    check() {
      const apart = [...avoided, ...counting.avoiding().map(({ counts }) => counts)];
      if (apart.length === 0 && spreads.length === 0 && joins === undefined) return undefined;
      return (node) =>
        apart.every((counts) => podsBeside(node, counts) === 0) &&
        spreads.every((tooMany) => !tooMany(node)) &&
        joins?.(node) !== false;
    },
    spreadScores: spreadScorer(kind, counting.countFor),
    affinityScores: (nodes) => affinityScores(nodes, [...preferred, ...counting.attracting()]),
  };
}

/** For each constraint: whether one more pod in the node's domain would exceed the allowed skew. */
function spreadRules(kind: PodKind, { countFor }: Counting): readonly ((node: SchedulerNode) => boolean)[] {
  const constraints = kind.spec.topologySpreadConstraints ?? [];
  const together = constraints.filter((one) => one.whenUnsatisfiable === 'DoNotSchedule');
  return together.map((constraint) => {
    const counts = countFor(spreadCount(constraint, kind, together));
    const self = simulatedSpreadSelector(constraint, kind).selects(kind) ? 1 : 0;
    const { maxSkew, minDomains = 1 } = constraint;
    return (node) => {
      const domain = counts.domainOf(node);
      if (domain === undefined) return true;
      const least = counts.size() < minDomains ? 0 : counts.least();
      return domain.pods + self - least > maxSkew;
    };
  });
}

/**
 * Required pod affinity: the domain must have pods that all terms select. If no such pod exists and the terms select the pod
 * itself, any node with the topology labels fits.
 */
function joinRule(kind: PodKind, { countFor }: Counting): ((node: SchedulerNode) => boolean) | undefined {
  const terms = kind.spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  if (terms.length === 0) return undefined;
  const selector = allOf(terms.map((term) => termSelector(term, kind)));
  const joined = terms.map((term) => countFor(affinityCount(term.topologyKey, selector)));
  const selectsItself = selector.selects(kind);
  return (node) =>
    joined.every((counts) => podsBeside(node, counts) > 0) ||
    (selectsItself && joined.every((counts) => counts.domainOf(node) !== undefined && counts.total() === 0));
}

/** The pods that the preferred terms of the kind select. */
function preferences(kind: PodKind, { countFor }: Counting): readonly WeightedCounts[] {
  const { podAffinity, podAntiAffinity } = kind.spec.affinity ?? {};
  const countsOf = (term: PodAffinityTerm): DomainCounts =>
    countFor(affinityCount(term.topologyKey, termSelector(term, kind)));
  const weighted = (from: typeof podAffinity, sign: 1 | -1): readonly WeightedCounts[] =>
    (from?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ weight, podAffinityTerm }) => ({
      counts: countsOf(podAffinityTerm),
      weight: sign * weight,
    }));
  return [...weighted(podAffinity, 1), ...weighted(podAntiAffinity, -1)];
}

/** The weights of all pods in the domains of each node, from 0 for the lowest sum to 100 for the highest. */
function affinityScores(
  nodes: readonly SchedulerNode[],
  weighted: readonly WeightedCounts[],
): readonly number[] | undefined {
  if (weighted.length === 0) return undefined;
  const sums = nodes.map((node) =>
    weighted.reduce((sum, { counts, weight }) => sum + weight * podsBeside(node, counts), 0),
  );
  let [least, most] = [Infinity, -Infinity];
  for (const sum of sums) [least, most] = [Math.min(least, sum), Math.max(most, sum)];
  return most === least ? undefined : sums.map((sum) => Math.trunc((100 * (sum - least)) / (most - least)));
}

/** The counted pods in the node's domain; 0 without a domain. */
function podsBeside(node: SchedulerNode, counts: DomainCounts): number {
  return counts.domainOf(node)?.pods ?? 0;
}
