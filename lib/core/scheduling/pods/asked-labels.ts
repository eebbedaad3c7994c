import type { NodeSelectorTerm, Pod } from '../../../apis/kubernetes.ts';
import { currentLabelName } from '../../../apis/labels.ts';
import { affinityTerms, antiAffinityTerms } from './pod-affinity-terms.ts';

/** The node labels that these pods require, or use as topology keys. Other labels do not affect them. */
export function askedLabels(pods: Iterable<Pod>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const pod of pods) {
    const { nodeSelector, affinity, topologySpreadConstraints } = pod.spec;
    for (const name in nodeSelector) names.add(currentLabelName(name));
    for (const { topologyKey } of topologySpreadConstraints ?? []) names.add(topologyKey);
    if (affinity === undefined) continue;
    for (const { topologyKey } of [...affinityTerms(pod), ...antiAffinityTerms(pod)]) names.add(topologyKey);
    for (const { matchExpressions = [] } of nodeTerms(pod)) {
      for (const { key } of matchExpressions) names.add(currentLabelName(key));
    }
  }
  return names;
}

function nodeTerms({ spec }: Pod): readonly NodeSelectorTerm[] {
  const nodeAffinity = spec.affinity?.nodeAffinity;
  return [
    ...(nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []),
    ...(nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ preference }) => preference),
  ];
}
