import type { PodAffinityTerm, TopologySpreadConstraint } from '../../../apis/kubernetes.ts';
import type { CountRule } from './scheduler-domain-counts.ts';
import { matchesNodeAffinity, toleratesTaints } from './scheduler-filters.ts';
import { nodeLabelOf } from './scheduler-node.ts';
import type { PodKind } from './scheduler-pod-kind.ts';
import { type PodSelector, simulatedSpreadSelector, termSelector } from './scheduler-selectors.ts';

/** The count rules of spread constraints and affinity terms. */

/** The count of a spread constraint. A node counts only if it has the labels of all constraints in `together`. */
export function spreadCount(
  constraint: TopologySpreadConstraint,
  kind: PodKind,
  together: readonly TopologySpreadConstraint[],
): CountRule {
  const selector = simulatedSpreadSelector(constraint, kind);
  const keys = [...new Set(together.map((one) => one.topologyKey))].toSorted();
  const affinity = constraint.nodeAffinityPolicy === 'Ignore' ? undefined : nodeAffinityOf(kind);
  const tolerations = constraint.nodeTaintsPolicy === 'Honor' ? (kind.spec.tolerations ?? []) : undefined;
  return {
    id: JSON.stringify(['spread', constraint.topologyKey, selector.id, keys, affinity, tolerations]),
    topologyKey: constraint.topologyKey,
    withTerminating: false,
    counts: selector.selects,
    includes: (node) =>
      keys.every((key) => nodeLabelOf(node, key) !== undefined) &&
      (affinity === undefined || matchesNodeAffinity(node, kind.spec)) &&
      (tolerations === undefined || toleratesTaints(node, kind.spec)),
  };
}

/** The count of the selected pods, including terminating pods. */
export function affinityCount(topologyKey: string, selector: PodSelector): CountRule {
  return {
    id: JSON.stringify(['affinity', topologyKey, selector.id]),
    topologyKey,
    withTerminating: true,
    counts: selector.selects,
    includes: everyNode,
  };
}

/** For each required anti-affinity term: a count of the pods with the term, and the pods that it excludes. */
export function keepingAway(
  owner: PodKind,
): readonly { readonly rule: CountRule; readonly keepsAway: (kind: PodKind) => boolean }[] {
  return requiredAntiAffinity(owner).map((term) => {
    const selector = termSelector(term, owner);
    const rule: CountRule = {
      id: keptAwayId(term, owner),
      topologyKey: term.topologyKey,
      withTerminating: true,
      counts: (kind) => requiredAntiAffinity(kind).some((other) => keptAwayId(other, kind) === rule.id),
      includes: everyNode,
    };
    return { rule, keepsAway: selector.selects };
  });
}

/**
 * For each required affinity term and each preferred term: a count of the pods with the term, the pods that it attracts, and its
 * weight, which is negative for anti-affinity. A required term counts as a preference of weight 1.
 */
export function attractedBy(owner: PodKind): readonly {
  readonly rule: CountRule;
  readonly attracts: (kind: PodKind) => boolean;
  readonly weight: number;
}[] {
  return weightedTerms(owner).map(({ term, weight }) => {
    const selector = termSelector(term, owner);
    const id = attractionId({ term, weight }, owner);
    const rule: CountRule = {
      id,
      topologyKey: term.topologyKey,
      withTerminating: true,
      counts: (kind) => weightedTerms(kind).some((other) => attractionId(other, kind) === id),
      includes: everyNode,
    };
    return { rule, attracts: selector.selects, weight };
  });
}

interface WeightedTerm {
  readonly term: PodAffinityTerm;
  readonly weight: number;
}

function weightedTerms({ spec }: PodKind): readonly WeightedTerm[] {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const required = podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const preferred = podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const avoided = podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [
    ...required.map((term) => ({ term, weight: 1 })),
    ...preferred.map(({ weight, podAffinityTerm: term }) => ({ term, weight })),
    ...avoided.map(({ weight, podAffinityTerm: term }) => ({ term, weight: -weight })),
  ];
}

function attractionId({ term, weight }: WeightedTerm, owner: PodKind): string {
  return JSON.stringify(['attracted', weight, term.topologyKey, termSelector(term, owner).id]);
}

export function requiredAntiAffinity({ spec }: PodKind): readonly PodAffinityTerm[] {
  return spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

function keptAwayId(term: PodAffinityTerm, owner: PodKind): string {
  return JSON.stringify(['kept away', term.topologyKey, termSelector(term, owner).id]);
}

/** Undefined without node affinity, so that all kinds without it share their counts. */
function nodeAffinityOf({ spec }: PodKind): readonly unknown[] | undefined {
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return spec.nodeSelector === undefined && required === undefined ? undefined : [spec.nodeSelector, required];
}

function everyNode(): boolean {
  return true;
}
