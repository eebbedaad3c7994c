import type { Toleration, TopologySpreadConstraint } from '../../../apis/kubernetes.ts';
import { NO_REQUIREMENTS, type Requirements } from '../../requirements/requirements.ts';
import {
  affinityTerms,
  antiAffinityTerms,
  requiredAntiAffinityTerms,
  spreadSelector,
} from '../pods/pod-affinity-terms.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { requiredAlternatives } from '../pods/pod-requirements.ts';
import { type Counted, type Counter, type Counters, countedOf, type HostFilter, selects } from './counters.ts';
import type { TopologyKey } from './topology-key.ts';

/** One thing that topology asks of a pod's place. */
export type TopologyRule =
  | {
      readonly kind: 'spread';
      readonly counter: Counter;
      readonly maxSkew: number;
      readonly minDomains: number;
      /** 1 where the pod counts itself. */
      readonly self: number;
      /** The domains among which the emptiest is looked for (B47). */
      readonly eligible: readonly number[];
    }
  /** B53: where such pods are; `self`: the first of a group may start anywhere. */
  | { readonly kind: 'attract'; readonly counter: Counter; readonly self: boolean }
  /** B54, B55: where no such pods are. */
  | { readonly kind: 'repel'; readonly counter: Counter };

/** What a class of pods must keep to for one label other than the hostname. */
export interface KeyRules {
  readonly key: TopologyKey;
  readonly rules: readonly TopologyRule[];
  /** True where the pod must have one known domain: by a rule of its own, or because others count it. */
  readonly pins: boolean;
}

export interface TopologyRules {
  readonly onHost: readonly TopologyRule[];
  readonly byKey: readonly KeyRules[];
}

/** Where the terms of pods are looked up. */
export interface TermSources {
  readonly keyOf: (name: string) => TopologyKey;
  readonly namespacesOf: (
    term: ReturnType<typeof affinityTerms>[number],
    owner: string,
  ) => ReadonlySet<string> | undefined;
}

export interface RuleSources extends TermSources {
  /** The domains in which an existing node, or one that a pool could launch, would count for such a pod (B45, B51). */
  readonly eligibleDomains: (key: TopologyKey, of: SpreadFilter) => readonly number[];
}

/** B51: which nodes count for a spread constraint: those that meet one of these, and whose taints are tolerated. */
export interface SpreadFilter {
  readonly alternatives: readonly Requirements[];
  /** Undefined: whatever the taints. */
  readonly tolerations: readonly Toleration[] | undefined;
}

const ANYTHING: readonly Requirements[] = [NO_REQUIREMENTS];

/** A rule before its counter is made. */
type OwnTerm = TopologyRule extends infer Rule
  ? Rule extends { readonly counter: Counter }
    ? Omit<Rule, 'counter'> & { readonly counted: Counted }
    : never
  : never;

/** The terms of a class, worked out once: they are the same in every run. */
export interface OwnTerms {
  /** B55: what keeps others away is required; they could not give up a preference that is not theirs. */
  readonly repelled: readonly Counted[];
  readonly terms: readonly OwnTerm[];
}

export function ownTerms(podClass: PodClass, sources: RuleSources): OwnTerms {
  const { keyOf } = sources;
  const { pod, namespace } = podClass;
  const countedBy = (term: ReturnType<typeof affinityTerms>[number], kind: 'attract' | 'repel'): Counted =>
    countedOf({
      key: keyOf(term.topologyKey),
      kind,
      namespaces: sources.namespacesOf(term, namespace),
      selector: term.labelSelector,
    });
  const repelling = antiAffinityTerms(pod).map(
    (term): OwnTerm => ({ kind: 'repel', counted: countedBy(term, 'repel') }),
  );
  const attracting = affinityTerms(pod).map((term): OwnTerm => {
    const counted = countedBy(term, 'attract');
    return { kind: 'attract', counted, self: selects(counted, podClass) };
  });
  const spreading = (pod.spec.topologySpreadConstraints ?? []).map((constraint): OwnTerm => {
    const counted = spreadCounted(podClass, constraint, sources);
    const { maxSkew, minDomains = 0 } = constraint;
    const eligible = sources.eligibleDomains(keyOf(constraint.topologyKey), {
      alternatives: constraint.nodeAffinityPolicy === 'Ignore' ? ANYTHING : requiredAlternatives(podClass.original),
      tolerations: constraint.nodeTaintsPolicy === 'Honor' ? (podClass.original.spec.tolerations ?? []) : undefined,
    });
    return { kind: 'spread', counted, maxSkew, minDomains, self: selects(counted, podClass) ? 1 : 0, eligible };
  });
  return { repelled: repelledBy(podClass, sources), terms: [...repelling, ...attracting, ...spreading] };
}

/** B55: a pod keeps others away by what it requires, not by what it prefers. */
export function repelledBy(
  { pod, namespace }: Pick<PodClass, 'pod' | 'namespace'>,
  { keyOf, namespacesOf }: TermSources,
): readonly Counted[] {
  return requiredAntiAffinityTerms(pod).map((term) =>
    countedOf({
      key: keyOf(term.topologyKey),
      kind: 'repelled',
      namespaces: namespacesOf(term, namespace),
      selector: term.labelSelector,
    }),
  );
}

/** The rules of the pod's own making. Makes the counters that they go by, so that they count from now on. */
export function ownRules(podClass: PodClass, own: OwnTerms, counters: Counters): readonly TopologyRule[] {
  for (const one of own.repelled) counters.own(counters.counterFor(one), podClass);
  return own.terms.map(({ counted, ...rule }): TopologyRule => ({ ...rule, counter: counters.counterFor(counted) }));
}

/** B46, B51: pods of the namespace that the selector picks, on nodes that the pod itself could use. */
function spreadCounted(
  { pod, original, namespace }: PodClass,
  constraint: TopologySpreadConstraint,
  { keyOf }: TermSources,
): Counted {
  const alternatives = constraint.nodeAffinityPolicy === 'Ignore' ? [] : requiredAlternatives(original);
  const asks = alternatives.some((one) => one.size > 0);
  const honoursTaints = constraint.nodeTaintsPolicy === 'Honor';
  const { nodeSelector, affinity, tolerations } = original.spec;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const filter: HostFilter = {
    text: JSON.stringify([asks ? [nodeSelector, required] : [], honoursTaints ? (tolerations ?? []) : 'any']),
    counts: (host, facts) =>
      (!asks || facts.meets(host, alternatives)) && (!honoursTaints || facts.toleratedBy(host, original)),
  };
  return countedOf({
    key: keyOf(constraint.topologyKey),
    kind: 'spread',
    namespaces: new Set([namespace]),
    selector: spreadSelector(constraint, pod),
    ...(asks || honoursTaints ? { filter } : {}),
  });
}

/** All rules that bear on the class: its own, being kept away by others, and being counted by others. */
export function rulesFor(podClass: PodClass, own: readonly TopologyRule[], counters: Counters): TopologyRules {
  const repelled = counters.repellersOf(podClass).map((counter): TopologyRule => ({ kind: 'repel', counter }));
  const all = [...own, ...repelled];
  const counted = counters.countersOf(podClass).map((counter) => counter.counted.key);
  const pinning = new Set([...own.map((rule) => rule.counter.counted.key), ...counted]);
  const byKey = Map.groupBy(all, (rule) => rule.counter.counted.key);
  const keys = new Set([...byKey.keys(), ...counted]);
  return {
    onHost: all.filter((rule) => rule.counter.counted.key.isHostname),
    byKey: [...keys]
      .filter((key) => !key.isHostname)
      .map((key) => ({ key, rules: byKey.get(key) ?? [], pins: pinning.has(key) })),
  };
}

/** `never`: pods only ever come, so it stays so. `later`: a pod that comes may change it. */
export type HostAnswer = 'yes' | 'later' | 'never';

/** B49: a new host is always possible, so the emptiest host counts as empty. */
export function hostAnswer(rules: readonly TopologyRule[], host: number): HostAnswer {
  let answer: HostAnswer = 'yes';
  for (const rule of rules) {
    const there = rule.counter.counts[host] ?? 0;
    if (rule.kind === 'spread' && there + rule.self > rule.maxSkew) return 'never';
    if (rule.kind === 'repel' && there > 0) return 'never';
    if (rule.kind === 'attract' && there === 0 && !startsGroup(rule)) answer = 'later';
  }
  return answer;
}

/** The same of a host that is not there yet: no pod is on it. */
export function newHostAnswer(rules: readonly TopologyRule[]): HostAnswer {
  return hostAnswer(rules, NO_HOST);
}

/** Beyond every host that there is. */
const NO_HOST = 1e9;

/** B53: the first of a group may start anywhere. */
export function startsGroup({ self, counter }: TopologyRule & { readonly kind: 'attract' }): boolean {
  return self && counter.total === 0;
}

/** B54: rules that only keep pods apart: where the label is absent nobody is there to keep away from. */
export function onlyRepel({ rules }: KeyRules): boolean {
  return rules.every(({ kind }) => kind === 'repel');
}

/** The domains that the rules allow just now, those with the fewest such pods first (B47). */
export function allowedDomains({ key, rules }: KeyRules): readonly number[] {
  const spreads = rules.filter((rule) => rule.kind === 'spread').map((rule) => ({ rule, least: leastCount(rule) }));
  const others = rules.filter((rule) => rule.kind !== 'spread');
  const allowed: number[] = [];
  for (let domain = 0; domain < key.values.length; domain += 1) {
    const isEven = spreads.every(
      ({ rule, least }) => (rule.counter.counts[domain] ?? 0) + rule.self - least <= rule.maxSkew,
    );
    if (isEven && others.every((rule) => isAllowed(rule, domain))) allowed.push(domain);
  }
  const [first] = spreads;
  if (first === undefined) return allowed;
  const { counts } = first.rule.counter;
  return allowed.toSorted((a, b) => (counts[a] ?? 0) - (counts[b] ?? 0) || a - b);
}

function isAllowed(rule: Exclude<TopologyRule, { readonly kind: 'spread' }>, domain: number): boolean {
  const there = rule.counter.counts[domain] ?? 0;
  return rule.kind === 'repel' ? there === 0 : there > 0 || startsGroup(rule);
}

/** The fewest pods in any domain that the pod may use; 0 while there are fewer domains than minDomains (B48). */
export function leastCount({ counter, eligible, minDomains }: TopologyRule & { readonly kind: 'spread' }): number {
  if (eligible.length === 0 || eligible.length < minDomains) return 0;
  let least = Number.MAX_SAFE_INTEGER;
  for (const domain of eligible) least = Math.min(least, counter.counts[domain] ?? 0);
  return least;
}
