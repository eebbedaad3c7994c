import { type AffinityGroup, affinityGroups, describeGroup } from '../affinity-groups.ts';
import type { PlacedPod, Placement } from '../placed-pods.ts';
import type { Host } from '../topology-hosts.ts';

/**
 * Required pod affinity of the pods that the plan places, in the final state.
 *
 * A pod may be in the domain of a selected pod that does not need this term itself: a pod that was there before, or a placed pod
 * without the term. Pods that need each other need a first pod. The kube-scheduler allows a first pod if it selects itself and no
 * running pod is selected in any domain; so all these pods are in one domain. All terms of a pod must select the same pods; their
 * topology keys are checked one by one.
 */
export function checkAffinity(placement: Placement): readonly string[] {
  return affinityGroups(placement, 'podAffinity').flatMap(checkGroup);
}

function checkGroup(group: AffinityGroup): readonly string[] {
  const { topologyKey: key, owners, selected } = group;
  const fresh = owners.filter(({ isNew }) => isNew);
  if (fresh.length === 0) {
    return [];
  }
  const lost = fresh.find(({ host }) => host.domains(key).length === 0);
  if (lost !== undefined) {
    return [`pod ${lost.name}: has affinity by ${key}, but ${lost.host.name} does not have the label`];
  }
  const waiting = new Set(fresh);
  const seeds = selected.filter((one) => !waiting.has(one) && one.host.domains(key).length > 0);
  const unserved = fresh.flatMap((owner) => {
    const how = serviceOf(owner, seeds, key);
    return how === 'sure' ? [] : [{ owner, how }];
  });
  const open = unserved.filter(({ how }) => how === 'open').map(({ owner }) => `open: ${toldOf(owner, group)}`);
  const left = unserved.filter(({ how }) => how === 'no').map(({ owner }) => owner);
  return [...bootstrapFaults(left, group), ...open.slice(0, 1)];
}

/** Whether selected pods that do not need the term share the domain of this pod: in every outcome, in some, or in none. */
function serviceOf(owner: PlacedPod, seeds: readonly PlacedPod[], key: string): 'sure' | 'open' | 'no' {
  const domains = owner.host.domains(key);
  const pinned = new Set<string>();
  let mayBe = false;
  for (const { host } of seeds) {
    if (host === owner.host) {
      return 'sure';
    }
    const its = host.domains(key);
    mayBe ||= its.some((domain) => domains.includes(domain));
    its.slice(0, its.length === 1 ? 1 : 0).forEach((domain) => pinned.add(domain));
  }
  return domains.every((domain) => pinned.has(domain)) ? 'sure' : mayBe ? 'open' : 'no';
}

/** Pods that only select each other must be in one domain, one of them must select itself, and no selected pod may run before. */
function bootstrapFaults(left: readonly PlacedPod[], group: AffinityGroup): readonly string[] {
  const [first] = left;
  if (first === undefined) {
    return [];
  }
  const key = group.topologyKey;
  const selected = new Set(group.selected);
  const running = group.selected.find((one) => !one.isNew && one.host.domains(key).length > 0);
  if (running !== undefined) {
    return [
      `${toldOf(first, group)}; it may not be the first, because pod ${running.name} runs on ${running.host.name}`,
    ];
  }
  const starter = left.find((one) => selected.has(one));
  if (starter === undefined) {
    return [toldOf(first, group)];
  }
  const apart = left.find(({ host }) => !sameDomain(host, starter.host, key));
  if (apart === undefined) {
    return [];
  }
  const isOpen = apart.host.domains(key).some((domain) => starter.host.domains(key).includes(domain));
  return [
    `${isOpen ? 'open: ' : ''}${toldOf(apart, group)}; pod ${starter.name} is the first, on ${starter.host.name}`,
  ];
}

function sameDomain(one: Host, other: Host, key: string): boolean {
  const [domain, ...more] = one.domains(key);
  const theirs = other.domains(key);
  return one === other || (more.length === 0 && theirs.length === 1 && theirs[0] === domain);
}

function toldOf({ name, host }: PlacedPod, group: AffinityGroup): string {
  return `pod ${name}: no pod of ${describeGroup(group)} is certain to share its domain on ${host.name}`;
}
