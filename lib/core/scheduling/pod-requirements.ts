import type { Pod } from '../../apis/kubernetes.ts';
import {
  merge,
  NO_REQUIREMENTS,
  type Requirements,
  requirementsFrom,
  requirementsFromLabels,
} from '../requirements/requirements.ts';

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
  return merge(strictRequirements(pod), preferred);
}

/** The same without preferences: what topology counts by (B47). */
export function strictRequirements(pod: Pod): Requirements {
  const [first] =
    pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const required = first === undefined ? NO_REQUIREMENTS : requirementsFrom(first.matchExpressions ?? []);
  return merge(requirementsFromLabels(pod.spec.nodeSelector), required);
}
