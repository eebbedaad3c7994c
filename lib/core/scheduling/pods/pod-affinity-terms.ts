import {
  type LabelSelector,
  type Pod,
  type PodAffinityTerm,
  type TopologySpreadConstraint,
} from '../../../apis/kubernetes.ts';
import { ownValues } from '../../admission/label-keys.ts';

/** Required and preferred terms: a preference counts as required until it is relaxed (B30). */
export function affinityTerms(pod: Pod): readonly PodAffinityTerm[] {
  return [...requiredAffinityTerms(pod), ...preferredAffinityTerms(pod)];
}

export function preferredAffinityTerms({ spec }: Pod): readonly PodAffinityTerm[] {
  const preferred = spec.affinity?.podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return preferred.map((one) => one.podAffinityTerm);
}

export function requiredAffinityTerms({ spec }: Pod): readonly PodAffinityTerm[] {
  return spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

/** Required and preferred terms. */
export function antiAffinityTerms(pod: Pod): readonly PodAffinityTerm[] {
  const preferred = pod.spec.affinity?.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [...requiredAntiAffinityTerms(pod), ...preferred.map((one) => one.podAffinityTerm)];
}

export function requiredAntiAffinityTerms({ spec }: Pod): readonly PodAffinityTerm[] {
  return spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

/**
 * B50: the values of matchLabelKeys are added to the selector of a spread constraint. *Shape:* undefined if the selector is empty: as in
 * the kube-scheduler, the constraint then counts no pods, so only the topology key of the node matters.
 */
export function spreadSelector(
  { labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint,
  { metadata }: Pod,
): LabelSelector | undefined {
  if (labelSelector === undefined) return undefined;
  const { matchLabels = {} } = labelSelector;
  const own = ownValues(metadata.labels ?? {}, matchLabelKeys, 'In');
  const matchExpressions = [...(labelSelector.matchExpressions ?? []), ...own];
  return matchExpressions.length + Object.keys(matchLabels).length > 0 ? { matchLabels, matchExpressions } : undefined;
}

/** The pod labels that a selector of these pods uses. Other labels do not affect placement. */
export function relevantLabelKeys(pods: readonly Pod[]): readonly string[] {
  const keys = new Set<string>();
  for (const pod of pods) {
    const { affinity, topologySpreadConstraints } = pod.spec;
    for (const { labelSelector, matchLabelKeys = [] } of topologySpreadConstraints ?? []) {
      noteKeys(labelSelector, keys);
      for (const key of matchLabelKeys) keys.add(key);
    }
    if (affinity?.podAffinity === undefined && affinity?.podAntiAffinity === undefined) continue;
    for (const { labelSelector } of [...affinityTerms(pod), ...antiAffinityTerms(pod)]) noteKeys(labelSelector, keys);
  }
  return [...keys].toSorted();
}

function noteKeys(selector: LabelSelector | undefined, keys: Set<string>): void {
  for (const key in selector?.matchLabels) keys.add(key);
  for (const { key } of selector?.matchExpressions ?? []) keys.add(key);
}
