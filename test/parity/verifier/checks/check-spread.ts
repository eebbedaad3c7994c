import type { Cluster } from '../cluster.ts';
import { type DomainUniverse, domainUniverse } from '../domain-universe.ts';
import { expressionsOf } from '../label-selectors.ts';
import type { PlacedPod, Placement } from '../placed-pods.ts';
import type { RawSelector, RawSpread } from '../raw-documents.ts';
import { type Host, type InclusionPolicies, selectionOf } from '../topology-hosts.ts';
import { HOSTNAME } from '../well-known-labels.ts';

/**
 * Required topology spread constraints of the pods that the plan places, in the final state.
 *
 * A domain d breaks the constraint if load(d) - min > maxSkew.
 * - load(d): matching pods that were in d before, and those placed there that have the constraint. Matching pods without the
 *   constraint are not in the load: they may arrive later.
 * - min: the least number of matching pods, all of them counted, over the domains the pod may use: those of nodes and new claims
 *   that its node selection (nodeAffinityPolicy) and tolerations (nodeTaintsPolicy) let in, and those that a NodePool it can go to
 *   could still add (B45, B47). A claim in flight adds a domain if pods count there. With fewer domains than minDomains it is 0
 *   (B48); for hostnames it is always 0 (B49).
 * Nodes without the topology keys of all required constraints of the pod do not count for either (B47).
 * Both favour the plan, so a reported fault is a fault for every order of arrival.
 *
 * If a claim's domain is open, the worst outcome counts: all pods that may be in d are in d, and pods that may be elsewhere do not
 * add to the minimum. The same applies to a pod that counts for only some types of its claim. These faults have the prefix `open:`.
 */
export function checkSpread(cluster: Cluster, placement: Placement): readonly string[] {
  const universe = domainUniverse(cluster);
  return [...spreadGroups(placement.placed).values()].flatMap((group) => checkGroup(group, placement, universe));
}

interface SpreadGroup {
  readonly constraint: RawSpread;
  readonly selector: RawSelector | undefined;
  readonly policies: InclusionPolicies;
  /** The keys of all required constraints of the pod: only nodes with all these labels count (B47). */
  readonly keys: readonly string[];
  readonly owners: PlacedPod[];
  readonly first: PlacedPod;
}

function spreadGroups(placed: readonly PlacedPod[]): ReadonlyMap<string, SpreadGroup> {
  const groups = new Map<string, SpreadGroup>();
  for (const owner of placed.filter(({ isNew }) => isNew)) {
    const { spec, metadata } = owner.pod;
    const required = (spec.topologySpreadConstraints ?? []).filter(
      ({ whenUnsatisfiable = 'DoNotSchedule' }) => whenUnsatisfiable === 'DoNotSchedule',
    );
    const keys = [...new Set(required.map(({ topologyKey }) => topologyKey))].toSorted();
    for (const constraint of required) {
      const selector = effectiveSelector(constraint, metadata.labels ?? {});
      const policies = {
        affinity: (constraint.nodeAffinityPolicy ?? 'Honor') === 'Honor',
        taints: (constraint.nodeTaintsPolicy ?? 'Ignore') === 'Honor',
      };
      const { maxSkew, topologyKey, minDomains } = constraint;
      const name = JSON.stringify([
        metadata.namespace ?? 'default',
        [selector ?? 'none', maxSkew, topologyKey, minDomains ?? 0, policies],
        keys,
        selectionOf(spec),
        policies.taints ? (spec.tolerations ?? []) : [],
      ]);
      const group = groups.get(name) ?? { constraint, selector, policies, keys, owners: [], first: owner };
      group.owners.push(owner);
      groups.set(name, group);
    }
  }
  return groups;
}

/** B50: the pod's values of matchLabelKeys are part of the selector. In the kube-scheduler, an empty selector selects nothing. */
function effectiveSelector(
  { labelSelector, matchLabelKeys = [] }: RawSpread,
  labels: Readonly<Record<string, string>>,
): RawSelector | undefined {
  const own = matchLabelKeys.flatMap((key) => {
    const value = labels[key];
    return value === undefined ? [] : [{ key, operator: 'In', values: [value] }];
  });
  if (labelSelector === undefined) return undefined;
  const matchExpressions = [...expressionsOf(labelSelector), ...own];
  return matchExpressions.length === 0 ? undefined : { matchExpressions };
}

interface DomainCount {
  /** Matching pods that are here in every outcome. */
  all: number;
  /** Of those, the pods that were here before or have the constraint. */
  load: number;
  /** Pods on claims with an open domain that may add to the load, with or without the constraint. */
  open: number;
  owner: PlacedPod | undefined;
}

function checkGroup(group: SpreadGroup, placement: Placement, universe: DomainUniverse): readonly string[] {
  const { constraint, owners } = group;
  const key = constraint.topologyKey;
  const lost = owners.find(({ host }) => host.domains(key).length === 0);
  if (lost !== undefined) {
    return [`pod ${lost.name}: spread over ${key}, but ${lost.host.name} does not have the label`];
  }
  const counts = countsOf(group, placement);
  const readings = key === HOSTNAME ? [[]] : domainReadings(group, { placement, universe, counts });
  const allOf = (domain: string) => counts.get(domain)?.all ?? 0;
  const mostOf = (domain: string) => allOf(domain) + (counts.get(domain)?.open ?? 0);
  const leastOf = (count: (one: string) => number) =>
    Math.max(...readings.map((may) => (may.length < (constraint.minDomains ?? 1) ? 0 : Math.min(...may.map(count)))));
  return [...counts].flatMap(([domain, { load, open, owner }]) => {
    if (owner === undefined) {
      return [];
    }
    const least = leastOf(mostOf);
    const leastOpen = leastOf((one) => (one === domain ? load + open : allOf(one)));
    const what = `maxSkew of ${key} is ${constraint.maxSkew}`;
    if (load - least > constraint.maxSkew) {
      return [`pod ${owner.name}: ${what}, but ${domain} has ${load} pods and the minimum is ${least}`];
    }
    return load + open - leastOpen > constraint.maxSkew
      ? [
          `open: pod ${owner.name}: ${what}, but ${domain} may have ${load + open} pods and the minimum may be ${leastOpen}`,
        ]
      : [];
  });
}

function countsOf(group: SpreadGroup, { matching }: Placement): ReadonlyMap<string, DomainCount> {
  const { constraint, selector, owners, first, policies, keys } = group;
  const counts = new Map<string, DomainCount>();
  const at = (domain: string): DomainCount => {
    const count = counts.get(domain) ?? { all: 0, load: 0, open: 0, owner: undefined };
    counts.set(domain, count);
    return count;
  };
  const mine = new Set(owners);
  const namespaces = new Set([first.pod.metadata.namespace ?? 'default']);
  for (const one of matching(selector, namespaces)) {
    const admitted = hasKeys(one.host, keys) ? one.host.admits(first.pod.spec, policies) : 'none';
    const domains = admitted === 'none' ? [] : one.host.domains(constraint.topologyKey);
    const counted = !one.isNew || mine.has(one);
    for (const domain of domains) {
      const count = at(domain);
      if (domains.length === 1 && admitted === 'every') {
        count.all += 1;
        count.load += counted ? 1 : 0;
      } else {
        count.open += 1;
      }
    }
  }
  for (const owner of owners) {
    for (const domain of owner.host.domains(constraint.topologyKey)) {
      at(domain).owner ??= owner;
    }
  }
  return counts;
}

function hasKeys(host: Host, keys: readonly string[]): boolean {
  return keys.every((key) => key === HOSTNAME || host.domains(key).length > 0);
}

/**
 * The domains of the minimum. nodeAffinityPolicy Ignore has two interpretations: Karpenter leaves out the domains that the pod
 * cannot use, and the kube-scheduler includes them. The verifier accepts both.
 */
function domainReadings(
  group: SpreadGroup,
  around: {
    readonly placement: Placement;
    readonly universe: DomainUniverse;
    readonly counts: ReadonlyMap<string, DomainCount>;
  },
): readonly (readonly string[])[] {
  const { placement, universe, counts } = around;
  const { constraint, first, policies, keys } = group;
  const { spec } = first.pod;
  const key = constraint.topologyKey;
  const ofHosts = placement.hosts
    .filter((host: Host) => host.admits(spec, policies) === 'every' && hasKeys(host, keys))
    .flatMap((host) => host.domains(key).filter((domain) => host.givesDomains || (counts.get(domain)?.all ?? 0) > 0));
  const all = [...new Set([...ofHosts, ...universe.ofPools(spec, key, { ...policies, keys })])];
  const usable = all.filter((domain) => universe.mayUse(spec, key, domain));
  return policies.affinity ? [usable] : [usable, all];
}
