import { type AffinityGroup, affinityGroups, describeGroup } from '../affinity-groups.ts';
import type { PlacedPod, Placement } from '../placed-pods.ts';

/**
 * Checks required pod anti-affinity in both directions: no pod that a term selects is in the domain of a pod with the term, if the
 * plan places one of the two. Two claims whose domains are open and overlap are reported with `open:`.
 */
export function checkAntiAffinity(placement: Placement): readonly string[] {
  return affinityGroups(placement, 'podAntiAffinity').flatMap(checkGroup);
}

function checkGroup(group: AffinityGroup): readonly string[] {
  const { owners, selected } = group;
  if (selected.length === 0 || ![...owners, ...selected].some(({ isNew }) => isNew)) {
    return [];
  }
  const key = group.topologyKey;
  const sure = [
    ...clashes(group, ({ host }) => (host.domains(key).length === 0 ? [] : [host.name])),
    ...clashes(group, ({ host }) => (host.domains(key).length === 1 ? host.domains(key) : [])),
  ];
  if (sure.length > 0) {
    return sure.slice(0, 1);
  }
  return clashes(group, ({ host }) => host.domains(key))
    .slice(0, 1)
    .map((clash) => `open: ${clash}`);
}

/** The first conflict of each domain; `domainsOf` gives the domains. */
function clashes(group: AffinityGroup, domainsOf: (one: PlacedPod) => readonly string[]): readonly string[] {
  const { owners, selected } = group;
  const there = byDomain(selected, domainsOf);
  return [...byDomain(owners, domainsOf)].flatMap(([domain, carriers]) => {
    const met = there.get(domain) ?? [];
    const newcomers = met.filter(({ isNew }) => isNew);
    for (const carrier of carriers) {
      // Two are enough: at least one of them is not the pod with the term.
      const other = (carrier.isNew ? met : newcomers).slice(0, 2).find((one) => one !== carrier);
      if (other !== undefined) {
        return [`pod ${carrier.name}: excludes ${describeGroup(group)}, but pod ${other.name} is also in ${domain}`];
      }
    }
    return [];
  });
}

function byDomain(
  pods: readonly PlacedPod[],
  domainsOf: (one: PlacedPod) => readonly string[],
): ReadonlyMap<string, readonly PlacedPod[]> {
  const domains = new Map<string, PlacedPod[]>();
  for (const one of pods) {
    for (const domain of domainsOf(one)) {
      const list = domains.get(domain) ?? [];
      list.push(one);
      domains.set(domain, list);
    }
  }
  return domains;
}
