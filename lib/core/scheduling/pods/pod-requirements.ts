import type { Pod } from '../../../apis/kubernetes.ts';
import {
  merge,
  NO_REQUIREMENTS,
  type Requirements,
  requirementsFrom,
  requirementsFromLabels,
} from '../../requirements/requirements.ts';

/**
 * What a pod asks of a node's labels: its nodeSelector, the first required term, and the heaviest preference as if it
 * were required, until it is relaxed (B27, B31).
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

/** Without preferences: a node must meet one of these. *Shape:* never empty. */
export function requiredAlternatives({ spec }: Pod): readonly Requirements[] {
  const selector = requirementsFromLabels(spec.nodeSelector);
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  if (terms.length === 0) return [selector];
  return terms.map((term) => merge(selector, requirementsFrom(term.matchExpressions ?? [])));
}
