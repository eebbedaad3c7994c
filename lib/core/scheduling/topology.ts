import {
  type LabelSelector,
  type Pod,
  type PodAffinityTerm,
  selectorMatches,
  type TopologySpreadConstraint,
} from '../../apis/kubernetes.ts';
import { HOSTNAME } from '../../apis/labels.ts';
import { untoleratedTaint } from '../../apis/taints.ts';
import { admits, oneOf } from '../requirements/requirement.ts';
import {
  NO_REQUIREMENTS,
  type Requirements,
  whyIncompatible,
  whyLabelsFail,
  withRequirement,
} from '../requirements/requirements.ts';
import { domainsOf, type Host, labelsOf, type Universe } from './host.ts';
import { strictRequirements } from './pod-requirements.ts';
import { type Refusal, refusal } from './refusal.ts';

/** Where every pod is, and what domains there are: what spread and affinity count in. Grows as the solver places pods. */
export interface Topology {
  readonly universe: Universe;
  readonly placed: { readonly pod: Pod; readonly host: Host }[];
  /** What pods of this run count by: a pod that one of these selects must have its domain pinned to be counted. */
  readonly watched: readonly Watch[];
}

interface Watch {
  readonly key: string;
  readonly namespaces: readonly string[];
  readonly selector: LabelSelector | undefined;
}

export type TopologyAnswer =
  | { readonly kind: 'allowed'; readonly requirements: Requirements }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** What the run's pods watch: their spread constraints and affinity terms, hostname aside (a host is always known). */
export function watchesOf(pods: readonly Pod[]): readonly Watch[] {
  const watches = pods.flatMap((pod) => [
    ...(pod.spec.topologySpreadConstraints ?? []).map((constraint) => ({
      key: constraint.topologyKey,
      namespaces: [namespaceOf(pod)],
      selector: constraint.labelSelector,
    })),
    ...[...affinityTerms(pod), ...antiAffinityTerms(pod)].map((term) => ({
      key: term.topologyKey,
      namespaces: namespacesOf(term, pod),
      selector: term.labelSelector,
    })),
  ]);
  const distinct = new Map(watches.map((watch) => [JSON.stringify(watch), watch]));
  return [...distinct.values()].filter((watch) => watch.key !== HOSTNAME);
}

/**
 * How the host's labels must narrow for the pod to be there, or why it cannot.
 * *Source:* B47–B56. Where Karpenter leaves the domain of a counted pod open, it is pinned here, so that the count is what
 * the cluster will see. *Cost:* O(constraints × placed pods).
 */
export function placeInTopology(topology: Topology, pod: Pod, host: Host): TopologyAnswer {
  const left = new Map<string, { readonly domains: readonly string[]; readonly pins: boolean }>();
  for (const { key, pins, choose } of rulesOf(topology, pod)) {
    const before = left.get(key);
    const answer = choose(before?.domains ?? [...domainsOf(host, key, topology.universe)].toSorted());
    if (answer.kind === 'refused') return answer;
    left.set(key, { domains: answer.domains, pins: pins || before?.pins === true });
  }
  let narrowed: Requirements = NO_REQUIREMENTS;
  for (const [key, { domains, pins }] of left) {
    if (key === HOSTNAME || host.fixed || domains.length === 0) continue;
    narrowed = withRequirement(narrowed, oneOf(key, pins ? domains.slice(0, 1) : domains));
  }
  return { kind: 'allowed', requirements: narrowed };
}

type Choice =
  /** Those that the rule allows, the best first: the rules after it choose among them. */
  | { readonly kind: 'domains'; readonly domains: readonly string[] }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

interface Rule {
  readonly key: string;
  /** True where the pod must have one known domain in the end. */
  readonly pins: boolean;
  readonly choose: (possible: readonly string[]) => Choice;
}

/** Every rule that bears on the pod: its own, those of pods that keep away from it, and being counted by others. */
function rulesOf(topology: Topology, pod: Pod): readonly Rule[] {
  return [
    ...antiAffinityTerms(pod).map((term) => avoidRule(topology, pod, term)),
    ...inverseRules(topology, pod),
    ...affinityTerms(pod).map((term) => joinRule(topology, pod, term)),
    ...(pod.spec.topologySpreadConstraints ?? []).map((constraint) => spreadRule(topology, pod, constraint)),
    ...topology.watched.filter((watch) => watchSelects(watch, pod)).map(pinRule),
  ];
}

/** B47–B51: the domains with the fewest first, as long as the skew holds. */
function spreadRule(topology: Topology, pod: Pod, constraint: TopologySpreadConstraint): Rule {
  const key = constraint.topologyKey;
  const selector = spreadSelector(constraint, pod);
  const self = selectorMatches(selector, pod.metadata.labels) ? 1 : 0;
  const strict = strictRequirements(pod);
  const counts = countDomains(topology, key, (placed, host) => {
    if (namespaceOf(placed) !== namespaceOf(pod) || !selectorMatches(selector, placed.metadata.labels)) return false;
    const honoured = constraint.nodeAffinityPolicy !== 'Ignore' && strict.size > 0;
    if (honoured && !mayMeet(host, strict)) return false;
    return constraint.nodeTaintsPolicy !== 'Honor' || untoleratedTaint(host.taints, pod.spec.tolerations) === undefined;
  });
  return {
    key,
    pins: true,
    choose: (possible) => {
      const least = key === HOSTNAME ? 0 : leastCount({ topology, key, counts, strict, constraint });
      const allowed = possible.filter((domain) => (counts.get(domain) ?? 0) + self - least <= constraint.maxSkew);
      const domains = allowed.toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0));
      if (domains.length > 0) return { kind: 'domains', domains };
      const { maxSkew, minDomains = 0 } = constraint;
      const known = topology.universe.get(key)?.size ?? 0;
      const because =
        key !== HOSTNAME && known < minDomains
          ? `minDomains asks for ${minDomains} domains, there are ${known}, so the emptiest counts as 0`
          : `the emptiest domain has ${least}`;
      const message = `no ${key} here keeps the skew at ${maxSkew} or less (${because})`;
      return refused('TopologySpread', message, { maxSkew, least, minDomains, domains: known });
    },
  };
}

/** B51: a node by its labels, a claim by what it may still become: pods of one kind share claims that are open alike. */
function mayMeet(host: Host, asked: Requirements): boolean {
  if (host.fixed) return whyLabelsFail(labelsOf(host), asked) === undefined;
  return whyIncompatible(host.requirements, asked) === undefined;
}

/** The fewest pods in any domain that the pod may use; 0 while there are fewer domains than minDomains (B48). */
function leastCount(of: {
  readonly topology: Topology;
  readonly key: string;
  readonly counts: ReadonlyMap<string, number>;
  readonly strict: Requirements;
  readonly constraint: TopologySpreadConstraint;
}): number {
  const wanted = of.strict.get(of.key);
  const domains = [...(of.topology.universe.get(of.key) ?? [])].filter(
    (domain) => wanted === undefined || admits(wanted, domain),
  );
  if (domains.length === 0 || domains.length < (of.constraint.minDomains ?? 0)) return 0;
  return Math.min(...domains.map((domain) => of.counts.get(domain) ?? 0));
}

/** B53: where such pods are; the first of a group that selects itself may start anywhere. */
function joinRule(topology: Topology, pod: Pod, term: PodAffinityTerm): Rule {
  const counts = countDomains(topology, term.topologyKey, (placed) => termSelects(term, pod, placed));
  const bootstraps = counts.size === 0 && termSelects(term, pod, pod);
  return {
    key: term.topologyKey,
    pins: true,
    choose: (possible) => {
      const domains = bootstraps ? possible : possible.filter((one) => counts.has(one));
      if (domains.length > 0) return { kind: 'domains', domains };
      return refused('PodAffinity', `no pod that the affinity asks for is in a ${term.topologyKey} of this place`, {
        domainsWithMatches: counts.size,
      });
    },
  };
}

/** B54: domains without such pods. The domain is pinned, so that the next one can have another in the same run. */
function avoidRule(topology: Topology, pod: Pod, term: PodAffinityTerm): Rule {
  const counts = countDomains(topology, term.topologyKey, (placed) => termSelects(term, pod, placed));
  return { key: term.topologyKey, pins: true, choose: (possible) => onlyFree(possible, counts, term.topologyKey) };
}

/** B55: pods that are there already and keep others away. */
function inverseRules(topology: Topology, pod: Pod): readonly Rule[] {
  const blocked = new Map<string, Map<string, number>>();
  for (const { pod: placed, host } of topology.placed) {
    for (const term of requiredAntiAffinityTerms(placed)) {
      if (!termSelects(term, placed, pod)) continue;
      const domains = blocked.get(term.topologyKey) ?? new Map<string, number>();
      for (const domain of domainsOf(host, term.topologyKey, topology.universe)) domains.set(domain, 1);
      blocked.set(term.topologyKey, domains);
    }
  }
  return [...blocked].map(([key, counts]) => ({
    key,
    pins: false,
    choose: (possible) => (possible.length === 0 ? { kind: 'domains', domains: [] } : onlyFree(possible, counts, key)),
  }));
}

function onlyFree(possible: readonly string[], counts: ReadonlyMap<string, number>, key: string): Choice {
  const domains = possible.filter((one) => !counts.has(one));
  if (domains.length > 0) return { kind: 'domains', domains };
  return refused('PodAntiAffinity', `every ${key} of this place has a pod to keep away from`, {
    domains: possible.length,
  });
}

/** A pod that others count must land in one known domain. */
function pinRule(watch: Watch): Rule {
  return { key: watch.key, pins: true, choose: (domains) => ({ kind: 'domains', domains }) };
}

function refused(reason: string, message: string, numbers: Refusal['numbers']): Choice {
  return { kind: 'refused', refusal: refusal(reason, message, numbers) };
}

/** B46: how many placed pods of a kind each domain has. A host whose domain is open counts in every domain it may get. */
function countDomains(topology: Topology, key: string, counts: (pod: Pod, host: Host) => boolean): Map<string, number> {
  const byDomain = new Map<string, number>();
  for (const { pod, host } of topology.placed) {
    if (!counts(pod, host)) continue;
    for (const domain of domainsOf(host, key, topology.universe)) byDomain.set(domain, (byDomain.get(domain) ?? 0) + 1);
  }
  return byDomain;
}

/** B50: the values of matchLabelKeys join the selector. */
function spreadSelector(constraint: TopologySpreadConstraint, pod: Pod): LabelSelector | undefined {
  const extra = (constraint.matchLabelKeys ?? []).flatMap((key) => {
    const value = pod.metadata.labels?.[key];
    return value === undefined ? [] : [{ key, operator: 'In' as const, values: [value] }];
  });
  if (extra.length === 0 || constraint.labelSelector === undefined) return constraint.labelSelector;
  return {
    ...constraint.labelSelector,
    matchExpressions: [...(constraint.labelSelector.matchExpressions ?? []), ...extra],
  };
}

function affinityTerms(pod: Pod): readonly PodAffinityTerm[] {
  const affinity = pod.spec.affinity?.podAffinity;
  return [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((one) => one.podAffinityTerm),
  ];
}

function antiAffinityTerms(pod: Pod): readonly PodAffinityTerm[] {
  const preferred = pod.spec.affinity?.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [...requiredAntiAffinityTerms(pod), ...preferred.map((one) => one.podAffinityTerm)];
}

function requiredAntiAffinityTerms(pod: Pod): readonly PodAffinityTerm[] {
  return pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

/** True where `owner`'s term speaks of `other`. */
function termSelects(term: PodAffinityTerm, owner: Pod, other: Pod): boolean {
  const everywhere = term.namespaceSelector !== undefined;
  return (
    (everywhere || namespacesOf(term, owner).includes(namespaceOf(other))) &&
    selectorMatches(term.labelSelector, other.metadata.labels)
  );
}

function watchSelects(watch: Watch, pod: Pod): boolean {
  return watch.namespaces.includes(namespaceOf(pod)) && selectorMatches(watch.selector, pod.metadata.labels);
}

/** B52: the pod's own namespace where a term names none. */
function namespacesOf(term: PodAffinityTerm, owner: Pod): readonly string[] {
  return term.namespaces !== undefined && term.namespaces.length > 0 ? term.namespaces : [namespaceOf(owner)];
}

function namespaceOf(pod: Pod): string {
  return pod.metadata.namespace ?? 'default';
}
