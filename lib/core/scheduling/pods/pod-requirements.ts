import type { NodeSelectorTerm, Pod, PodSpec } from '../../../apis/kubernetes.ts';
import {
  merge,
  NO_REQUIREMENTS,
  type Requirements,
  requirementsFrom,
  requirementsFromLabels,
} from '../../requirements/requirements.ts';

/**
 * The node label requirements of a pod: its nodeSelector, the first required term, and the preference with the highest weight,
 * which counts as required until it is relaxed (B27, B31).
 */
export function podRequirements(pod: Pod): Requirements {
  const [heaviest] = (pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).toSorted(
    (a, b) => b.weight - a.weight,
  );
  const preferred =
    heaviest === undefined ? NO_REQUIREMENTS : requirementsFrom(heaviest.preference.matchExpressions ?? []);
  const [strict = NO_REQUIREMENTS] = requiredAlternatives(pod);
  return merge(strict, preferred);
}

/**
 * The requirements without preferences. A node must meet one of the alternatives. *Shape:* empty if every required term is empty: no
 * node meets it.
 */
export function requiredAlternatives({ spec }: Pod): readonly Requirements[] {
  const selector = requirementsFromLabels(spec.nodeSelector);
  if (requiredTerms(spec).length === 0) return [selector];
  return matchingTerms(spec).map((term) => merge(selector, requirementsFrom(term.matchExpressions ?? [])));
}

/** The terms of the required node affinity. */
export function requiredTerms({ affinity }: PodSpec): readonly NodeSelectorTerm[] {
  return affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
}

/** The same without empty terms. For the kube-scheduler, an empty term matches no node. */
export function matchingTerms(spec: PodSpec): readonly NodeSelectorTerm[] {
  return requiredTerms(spec).filter(
    ({ matchExpressions = [], matchFields = [] }) => matchExpressions.length + matchFields.length > 0,
  );
}
