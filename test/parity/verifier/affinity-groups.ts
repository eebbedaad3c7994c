import type { PlacedPod, Placement } from './placed-pods.ts';
import type { RawAffinityTerm, RawSelector } from './raw-documents.ts';

/** Pods that carry the same required affinity or anti-affinity terms, and the pods that all these terms select. */
export interface AffinityGroup {
  readonly topologyKey: string;
  readonly selectors: readonly (RawSelector | undefined)[];
  readonly owners: readonly PlacedPod[];
  readonly selected: readonly PlacedPod[];
}

/** An anti-affinity term excludes pods alone. Of affinity terms, the kube-scheduler counts the pods that all of them select (B53). */
export function affinityGroups(
  placement: Placement,
  kind: 'podAffinity' | 'podAntiAffinity',
): readonly AffinityGroup[] {
  const groups = new Map<string, Wanted>();
  for (const owner of placement.placed) {
    const terms = owner.pod.spec.affinity?.[kind]?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    for (const { topologyKey, together } of kind === 'podAffinity' ? jointly(terms) : terms.map(alone)) {
      const selected = together.map((term) => ({
        labelSelector: term.labelSelector,
        namespaces: placement.namespacesOf(term, owner.pod.metadata.namespace ?? 'default'),
      }));
      const name = JSON.stringify([
        topologyKey,
        selected.map(({ labelSelector, namespaces }) => [labelSelector ?? 'none', [...namespaces].toSorted()]),
      ]);
      const group = groups.get(name) ?? { topologyKey, selected, owners: [] };
      group.owners.push(owner);
      groups.set(name, group);
    }
  }
  return [...groups.values()].map(({ topologyKey, selected, owners }) => {
    const [first = [], ...others] = selected.map((one) => placement.matching(one.labelSelector, one.namespaces));
    return {
      topologyKey,
      selectors: selected.map(({ labelSelector }) => labelSelector),
      owners,
      selected: first.filter((pod) => others.every((those) => those.includes(pod))),
    };
  });
}

interface Wanted {
  readonly topologyKey: string;
  readonly selected: readonly { labelSelector: RawSelector | undefined; namespaces: ReadonlySet<string> }[];
  readonly owners: PlacedPod[];
}

interface Together {
  readonly topologyKey: string;
  readonly together: readonly RawAffinityTerm[];
}

function alone(term: RawAffinityTerm): Together {
  return { topologyKey: term.topologyKey, together: [term] };
}

function jointly(terms: readonly RawAffinityTerm[]): readonly Together[] {
  const keys = new Set(terms.map(({ topologyKey }) => topologyKey));
  return [...keys].map((topologyKey) => ({ topologyKey, together: terms }));
}

export function describeGroup({ topologyKey, selectors }: AffinityGroup): string {
  return `${selectors.map((one) => JSON.stringify(one ?? {})).join(' and ')} by ${topologyKey}`;
}
