import {
  type LabelSelector,
  type LabelSelectorRequirement,
  type PodAffinityTerm,
  selectorMatches,
  type TopologySpreadConstraint,
} from '../../../apis/kubernetes.ts';
import { fieldOf } from '../../../apis/record.ts';
import type { PodKind } from './scheduler-pod-kind.ts';

/** The pods that a constraint or a term selects. */
export interface PodSelector {
  /** Equal for equal selectors. */
  readonly id: string;
  readonly selects: (kind: PodKind) => boolean;
}

/** Selects pods of the owner's namespace. In Kubernetes, an empty selector of a spread constraint selects no pod. */
export function simulatedSpreadSelector(constraint: TopologySpreadConstraint, owner: PodKind): PodSelector {
  const selector = withExpressions(constraint.labelSelector, valuesOf(owner, constraint.matchLabelKeys));
  return podSelector([owner.namespace], isEmpty(selector) ? undefined : selector);
}

/**
 * Selects pods of the term's namespaces, else of the owner's namespace. The API server has merged `matchLabelKeys` and
 * `mismatchLabelKeys` into the selector. Namespaces have no labels in the simulated cluster,
 * so a namespaceSelector selects all namespaces.
 */
export function termSelector(term: PodAffinityTerm, owner: PodKind): PodSelector {
  const { labelSelector, namespaceSelector, namespaces = [] } = term;
  if (namespaceSelector !== undefined) return podSelector('all', labelSelector);
  return podSelector(namespaces.length > 0 ? namespaces : [owner.namespace], labelSelector);
}

/** Selects the pods that all selectors select. */
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

/** A requirement for each key with the owner's value. Keys that the owner lacks are ignored. */
function valuesOf(owner: PodKind, keys: readonly string[] = []): readonly LabelSelectorRequirement[] {
  return keys.flatMap((key) => {
    const value = fieldOf(owner.labels, key);
    return value === undefined ? [] : [{ key, operator: 'In', values: [value] }];
  });
}

function withExpressions(
  selector: LabelSelector | undefined,
  extra: readonly LabelSelectorRequirement[],
): LabelSelector | undefined {
  if (selector === undefined || extra.length === 0) return selector;
  return { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), ...extra] };
}
