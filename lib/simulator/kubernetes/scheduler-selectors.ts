import {
  type LabelSelector,
  type LabelSelectorRequirement,
  type PodAffinityTerm,
  selectorMatches,
  type TopologySpreadConstraint,
} from '../../apis/kubernetes.ts';
import type { PodKind } from './scheduler-pod-kind.ts';

/** Pods that a constraint or a term speaks of. */
export interface PodSelector {
  /** Equal for selectors that pick the same pods. */
  readonly id: string;
  readonly selects: (kind: PodKind) => boolean;
}

/** Pods of the owner's namespace. Kubernetes counts none for a selector that is there and empty. */
export function simulatedSpreadSelector(constraint: TopologySpreadConstraint, owner: PodKind): PodSelector {
  const selector = withExpressions(constraint.labelSelector, valuesOf(owner, constraint.matchLabelKeys, 'In'));
  return podSelector([owner.namespace], isEmpty(selector) ? undefined : selector);
}

/**
 * The namespaces that the term names, else the owner's. The simulated cluster knows no labels of namespaces, so a
 * namespaceSelector picks them all.
 */
export function termSelector(term: PodAffinityTerm, owner: PodKind): PodSelector {
  const selector = withExpressions(term.labelSelector, [
    ...valuesOf(owner, term.matchLabelKeys, 'In'),
    ...valuesOf(owner, term.mismatchLabelKeys, 'NotIn'),
  ]);
  if (term.namespaceSelector !== undefined) return podSelector('all', selector);
  const { namespaces = [] } = term;
  return podSelector(namespaces.length > 0 ? namespaces : [owner.namespace], selector);
}

/** Pods that every one of them picks. */
export function allOf(selectors: readonly PodSelector[]): PodSelector {
  return {
    id: selectors.map(({ id }) => id).join('&'),
    selects: (kind) => selectors.every((selector) => selector.selects(kind)),
  };
}

function podSelector(namespaces: readonly string[] | 'all', selector: LabelSelector | undefined): PodSelector {
  return {
    id: JSON.stringify([namespaces, selector ?? 'none']),
    selects: (kind) =>
      (namespaces === 'all' || namespaces.includes(kind.namespace)) && selectorMatches(selector, kind.labels),
  };
}

function isEmpty({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}): boolean {
  return Object.keys(matchLabels).length + matchExpressions.length === 0;
}

/** The owner's own values of the keys; those that it has not say nothing. */
function valuesOf(
  owner: PodKind,
  keys: readonly string[] = [],
  operator: 'In' | 'NotIn',
): readonly LabelSelectorRequirement[] {
  return keys.flatMap((key) => {
    const value = owner.labels[key];
    return value === undefined ? [] : [{ key, operator, values: [value] }];
  });
}

function withExpressions(
  selector: LabelSelector | undefined,
  extra: readonly LabelSelectorRequirement[],
): LabelSelector | undefined {
  if (selector === undefined || extra.length === 0) return selector;
  return { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), ...extra] };
}
