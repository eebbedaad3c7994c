import type { PlacedPod, Placement } from './placed-pods.ts';
import type { RawAffinityTerm } from './raw-documents.ts';

/** Pods that carry the same required affinity or anti-affinity term, and the pods that it selects. */
export interface AffinityGroup {
  readonly term: RawAffinityTerm;
  readonly owners: readonly PlacedPod[];
  readonly selected: readonly PlacedPod[];
}

export function affinityGroups(
  { placed, matching, namespacesOf }: Placement,
  kind: 'podAffinity' | 'podAntiAffinity',
): readonly AffinityGroup[] {
  const groups = new Map<string, { term: RawAffinityTerm; namespaces: ReadonlySet<string>; owners: PlacedPod[] }>();
  for (const owner of placed) {
    const { spec, metadata } = owner.pod;
    for (const term of spec.affinity?.[kind]?.requiredDuringSchedulingIgnoredDuringExecution ?? []) {
      const namespaces = namespacesOf(term, metadata.namespace ?? 'default');
      const name = JSON.stringify([term.topologyKey, term.labelSelector ?? 'none', [...namespaces].toSorted()]);
      const group = groups.get(name) ?? { term, namespaces, owners: [] };
      group.owners.push(owner);
      groups.set(name, group);
    }
  }
  return [...groups.values()].map(({ term, namespaces, owners }) => ({
    term,
    owners,
    selected: matching(term.labelSelector, namespaces),
  }));
}

export function describeTerm({ topologyKey, labelSelector = {} }: RawAffinityTerm): string {
  return `${JSON.stringify(labelSelector)} by ${topologyKey}`;
}
