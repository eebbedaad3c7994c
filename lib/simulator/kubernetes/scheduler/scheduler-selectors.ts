import {
  type LabelSelector,
  type LabelSelectorRequirement,
  type PodAffinityTerm,
  selectorMatches,
  type TopologySpreadConstraint,
} from '../../../apis/kubernetes.ts';
import { fieldOf } from '../../../apis/record.ts';
import { includesNamespace, type TermNamespaces, termNamespaces } from '../../../core/cluster/namespaces.ts';
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
  return podSelector(ownNamespace(owner), isEmpty(selector) ? undefined : selector);
}

/**
 * Selects pods of the term's namespaces. The API server has merged `matchLabelKeys` and
 * `mismatchLabelKeys` into the selector.
 */
export function termSelector(term: PodAffinityTerm, owner: PodKind): PodSelector {
  return podSelector(termNamespaces(term, owner.namespace), term.labelSelector);
}

/** Selects the pods that all selectors select. */
export function allOf(selectors: readonly PodSelector[]): PodSelector {
  return {
    id: selectors.map(({ id }) => id).join('&'),
    selects: (kind) => selectors.every((selector) => selector.selects(kind)),
  };
}

function ownNamespace({ namespace }: PodKind): TermNamespaces {
  return { names: [namespace], selector: undefined };
}

function podSelector(where: TermNamespaces, selector: LabelSelector | undefined): PodSelector {
  return {
    id: JSON.stringify([where, selector ?? 'none']),
    selects: ({ namespace, namespaceLabels, labels }) =>
      includesNamespace(where, namespace, namespaceLabels) && selectorMatches(selector, labels),
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
