import type { PodAffinityTerm, Toleration, TopologySpreadConstraint } from '../../../apis/kubernetes.ts';
import { HOSTNAME } from '../../../apis/labels.ts';
import { NO_REQUIREMENTS, type Requirements } from '../../requirements/requirements.ts';
import {
  antiAffinityTerms,
  preferredAffinityTerms,
  requiredAffinityTerms,
  requiredAntiAffinityTerms,
  spreadSelector,
} from '../pods/pod-affinity-terms.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { requiredAlternatives } from '../pods/pod-requirements.ts';
import { type Counted, type Counter, type Counters, countedOf, type HostFilter, selects } from './counters.ts';
import { jointAffinity } from './joint-affinity.ts';
import type { TopologyKey } from './topology-key.ts';

/** One topology rule for the placement of a pod. */
export type TopologyRule =
  | {
      readonly kind: 'spread';
      readonly counter: Counter;
      readonly maxSkew: number;
      readonly minDomains: number;
      /** 1 if the selector selects the pod itself. */
      readonly self: number;
      /** The domains that count for the minimum (B47). */
      readonly eligible: readonly number[];
    }
  /**
   * B53: a domain with matching pods. `self`: all required terms select the pod itself, so the first pod may use any domain.
   * `together`: the counters of all required terms, one for each key; of a preferred term, its own.
   */
  | {
      readonly kind: 'attract';
      readonly counter: Counter;
      readonly self: boolean;
      readonly together: readonly Counter[];
    }
  /** B54, B55: a domain without matching pods. */
  | { readonly kind: 'repel'; readonly counter: Counter };

export type SpreadRule = TopologyRule & { readonly kind: 'spread' };

/** The rules of a class of pods for one topology key other than the hostname. */
export interface KeyRules {
  readonly key: TopologyKey;
  readonly rules: readonly TopologyRule[];
  /** True if the pod needs a single known domain: because of its own rule, or because rules of other pods count it. */
  readonly pins: boolean;
  /** The counters of spreads of other pods that count the pod. */
  readonly countedBy: readonly Counter[];
}

export interface TopologyRules {
  readonly onHost: readonly TopologyRule[];
  readonly byKey: readonly KeyRules[];
  /** The spread over hosts that keeps other pods from a new node of these (B69). */
  readonly keepingFree: readonly SpreadRule[];
}

/** Resolves the topology keys and namespaces of pod terms. */
export interface TermSources {
  readonly keyOf: (name: string) => TopologyKey;
  readonly namespacesOf: (term: PodAffinityTerm, owner: string) => ReadonlySet<string> | undefined;
}

export interface RuleSources extends TermSources {
  /** The domains in which an existing node, or a node that a pool could launch, counts for the pod (B45, B51). */
  readonly eligibleDomains: (key: TopologyKey, of: SpreadFilter) => readonly number[];
}

/** B51: the nodes that count for a spread constraint: they satisfy one of the alternatives, and their taints are tolerated. */
export interface SpreadFilter {
  readonly alternatives: readonly Requirements[];
  /** Undefined: taints are ignored. */
  readonly tolerations: readonly Toleration[] | undefined;
  /** The node must also have the labels of these, which the kube-scheduler applies together with the constraint (B47). */
  readonly otherKeys: readonly TopologyKey[];
}

const ANYTHING: readonly Requirements[] = [NO_REQUIREMENTS];

/** A rule before its counters are created. */
type OwnTerm = TopologyRule extends infer Rule
  ? Rule extends { readonly counter: Counter }
    ? Omit<Rule, 'counter' | 'together'> & { readonly counted: Counted; readonly together?: readonly Counted[] }
    : never
  : never;

/** The terms of a class. Computed once, because they are the same in every run. */
export interface OwnTerms {
  /** B55: required anti-affinity terms only. Other pods cannot relax a preference of this pod. */
  readonly repelled: readonly Counted[];
  readonly terms: readonly OwnTerm[];
}

export function ownTerms(podClass: PodClass, sources: RuleSources): OwnTerms {
  const { keyOf } = sources;
  const { pod, namespace } = podClass;
  const countedBy = (term: PodAffinityTerm, kind: 'attract' | 'repel'): Counted =>
    countedOf({ key: keyOf(term.topologyKey), kind, ...selectedBy(term, namespace, sources) });
  const repelling = antiAffinityTerms(pod).map(
    (term): OwnTerm => ({ kind: 'repel', counted: countedBy(term, 'repel') }),
  );
  const required = requiredTogether(podClass, sources);
  const preferred = preferredAffinityTerms(pod).map((term) => countedBy(term, 'attract'));
  const attracting = [
    ...required.map((one) => [one, required] as const),
    ...preferred.map((one) => [one, [one]] as const),
  ].map(([counted, together]): OwnTerm => ({ kind: 'attract', counted, self: selects(counted, podClass), together }));
  const spreading = (pod.spec.topologySpreadConstraints ?? []).map((constraint): OwnTerm => {
    const filter = spreadFilter(podClass, constraint, sources);
    const counted = spreadCounted(podClass, { constraint, filter }, sources);
    const { maxSkew, minDomains = 0 } = constraint;
    const eligible = sources.eligibleDomains(counted.key, filter);
    return { kind: 'spread', counted, maxSkew, minDomains, self: selects(counted, podClass) ? 1 : 0, eligible };
  });
  return { repelled: repelledBy(podClass, sources), terms: [...repelling, ...attracting, ...spreading] };
}

/** B53: one definition for each topology key. It counts the pods that all required affinity terms select. */
function requiredTogether({ pod, namespace }: PodClass, sources: TermSources): readonly Counted[] {
  const terms = requiredAffinityTerms(pod);
  const together = jointAffinity(terms.map((term) => selectedBy(term, namespace, sources)));
  const keys = new Set(terms.map(({ topologyKey }) => topologyKey));
  return [...keys].map((key) => countedOf({ key: sources.keyOf(key), kind: 'attract', ...together }));
}

function selectedBy(
  term: PodAffinityTerm,
  namespace: string,
  { namespacesOf }: TermSources,
): Pick<Counted, 'namespaces' | 'selector'> {
  return { namespaces: namespacesOf(term, namespace), selector: term.labelSelector };
}

/** B55: the required anti-affinity terms of a pod exclude other pods; its preferred terms do not. */
export function repelledBy(
  { pod, namespace }: Pick<PodClass, 'pod' | 'namespace'>,
  sources: TermSources,
): readonly Counted[] {
  return requiredAntiAffinityTerms(pod).map((term) =>
    countedOf({ key: sources.keyOf(term.topologyKey), kind: 'repelled', ...selectedBy(term, namespace, sources) }),
  );
}

/** The rules of the pod's own terms. Creates their counters, so that they count from now on. */
export function ownRules(podClass: PodClass, own: OwnTerms, counters: Counters): readonly TopologyRule[] {
  for (const one of own.repelled) counters.own(counters.counterFor(one), podClass);
  return own.terms.map((term) => ruleOf(term, counters));
}

/** Written out, so that all rules of a kind have one shape: V8 reads objects made by a spread more slowly. */
function ruleOf(term: OwnTerm, counters: Counters): TopologyRule {
  const counter = counters.counterFor(term.counted);
  switch (term.kind) {
    case 'repel':
      return { kind: 'repel', counter };
    case 'attract':
      return {
        kind: 'attract',
        counter,
        self: term.self,
        together: (term.together ?? []).map((one) => counters.counterFor(one)),
      };
    case 'spread': {
      const { maxSkew, minDomains, self, eligible } = term;
      return { kind: 'spread', counter, maxSkew, minDomains, self, eligible };
    }
  }
}

function spreadFilter(
  { original }: PodClass,
  constraint: TopologySpreadConstraint,
  sources: TermSources,
): SpreadFilter {
  const { tolerations = [], topologySpreadConstraints = [] } = original.spec;
  const { topologyKey, whenUnsatisfiable, nodeAffinityPolicy, nodeTaintsPolicy } = constraint;
  const together = topologySpreadConstraints.filter((one) => one.whenUnsatisfiable === whenUnsatisfiable);
  const others = new Set(together.map((one) => one.topologyKey)).difference(new Set([topologyKey, HOSTNAME]));
  return {
    alternatives: nodeAffinityPolicy === 'Ignore' ? ANYTHING : requiredAlternatives(original),
    tolerations: nodeTaintsPolicy === 'Honor' ? tolerations : undefined,
    otherKeys: [...others].map(sources.keyOf),
  };
}

/** B46, B51: pods of the namespace that the selector selects, on nodes that the pod itself could use. */
function spreadCounted(
  { pod, original, namespace }: PodClass,
  {
    constraint,
    filter: { alternatives, tolerations, otherKeys },
  }: { readonly constraint: TopologySpreadConstraint; readonly filter: SpreadFilter },
  { keyOf }: TermSources,
): Counted {
  const hasRequirements = alternatives.some((one) => one.size > 0);
  const { nodeSelector, affinity } = original.spec;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const filter: HostFilter = {
    text: JSON.stringify([
      hasRequirements ? [nodeSelector, required] : [],
      tolerations ?? 'any',
      otherKeys.map(({ name }) => name),
    ]),
    counts: (host, facts) =>
      (!hasRequirements || facts.meets(host, alternatives)) &&
      (tolerations === undefined || facts.toleratedBy(host, original)) &&
      otherKeys.every((key) => host.domainsOf(key).length > 0),
  };
  return countedOf({
    key: keyOf(constraint.topologyKey),
    kind: 'spread',
    namespaces: new Set([namespace]),
    selector: spreadSelector(constraint, pod),
    ...(hasRequirements || tolerations !== undefined || otherKeys.length > 0 ? { filter } : {}),
  });
}

/**
 * All rules that apply to the class: its own, anti-affinity terms of other pods, and terms of other pods that count it. `inAnyOrder`: whether
 * the plan is to hold in whichever order its pods are bound (B69).
 */
export function rulesFor(
  podClass: PodClass,
  own: readonly TopologyRule[],
  { counters, inAnyOrder }: { readonly counters: Counters; readonly inAnyOrder: boolean },
): TopologyRules {
  const repelled = counters.repellersOf(podClass).map((counter): TopologyRule => ({ kind: 'repel', counter }));
  const all = [...own, ...repelled];
  const counting = counters.countersOf(podClass);
  const counted = counting.map((counter) => counter.counted.key);
  const mine = new Set(own.map(({ counter }) => counter));
  const ofOthers = inAnyOrder ? counting.filter((one) => one.counted.kind === 'spread' && !mine.has(one)) : [];
  const pinning = new Set([...own.map((rule) => rule.counter.counted.key), ...counted]);
  const byKey = Map.groupBy(all, (rule) => rule.counter.counted.key);
  const keys = new Set([...byKey.keys(), ...counted]);
  const onHost = all.filter((rule) => rule.counter.counted.key.isHostname);
  return {
    onHost,
    keepingFree: inAnyOrder ? onHost.filter((rule) => rule.kind === 'spread') : [],
    byKey: [...keys]
      .filter((key) => !key.isHostname)
      .map((key) => ({
        key,
        rules: byKey.get(key) ?? [],
        pins: pinning.has(key),
        countedBy: ofOthers.filter((counter) => counter.counted.key === key),
      })),
  };
}

/** `never`: a permanent refusal, because pods do not leave hosts in a run. `later`: another placed pod may change it. */
export type HostAnswer = 'yes' | 'later' | 'never';

/** Whether a rule of pods on a host counts pods with these counters, and another one would be more than it allows there. */
export function isOverfull(
  spread: Iterable<SpreadRule>,
  { hostCounters }: { readonly hostCounters: readonly Counter[] },
  countOf: (counter: Counter) => number | undefined,
): boolean {
  for (const { counter, maxSkew } of spread)
    if ((countOf(counter) ?? 0) >= maxSkew && hostCounters.includes(counter)) return true;
  return false;
}

/** B49: a new host is always possible, so the minimum count over hosts is 0. */
export function hostAnswer(rules: readonly TopologyRule[], host: number): HostAnswer {
  let answer: HostAnswer = 'yes';
  for (const rule of rules) {
    const matching = rule.counter.counts[host] ?? 0;
    if (rule.kind === 'spread' && matching + rule.self > rule.maxSkew) return 'never';
    if (rule.kind === 'repel' && matching > 0) return 'never';
    if (rule.kind === 'attract' && matching === 0 && !startsGroup(rule)) answer = 'later';
  }
  return answer;
}

/** The same for a new host, which has no pods. */
export function newHostAnswer(rules: readonly TopologyRule[]): HostAnswer {
  return hostAnswer(rules, NO_HOST);
}

/** An index beyond all hosts. */
const NO_HOST = 1e9;

/** B53: the first pod that matches its own affinity terms may use any domain: none of the terms has counted a pod. */
export function startsGroup({ self, together }: TopologyRule & { readonly kind: 'attract' }): boolean {
  return self && together.every(({ total }) => total === 0);
}

/** B54: whether all rules are anti-affinity rules. A host without the label satisfies these. */
export function onlyRepel({ rules }: KeyRules): boolean {
  return rules.every(({ kind }) => kind === 'repel');
}

/** The domains that the rules allow at this point of the run, those with the fewest matching pods first (B47). */
export function allowedDomains({ key, rules }: KeyRules): readonly number[] {
  const spreads = rules.filter((rule) => rule.kind === 'spread').map((rule) => ({ rule, least: minimumCount(rule) }));
  const others = rules.filter((rule) => rule.kind !== 'spread');
  const allowed: number[] = [];
  for (let domain = 0; domain < key.values.length; domain += 1) {
    const isEven = spreads.every(
      ({ rule, least }) => (rule.counter.counts[domain] ?? 0) + rule.self - least <= rule.maxSkew,
    );
    if (isEven && others.every((rule) => allowsDomain(rule, domain))) allowed.push(domain);
  }
  const [first] = spreads;
  if (first === undefined) return allowed;
  const { counts } = first.rule.counter;
  return allowed.toSorted((a, b) => (counts[a] ?? 0) - (counts[b] ?? 0) || a - b);
}

/**
 * B69: of the allowed domains, those in which spreads of other pods count the fewest pods: if the pods are even, the domains of those other
 * pods remain allowed. `leftOut`: domains that can get no node, so that their pods are not compared. *Shape:* all if none of the others has
 * the fewest for each of these spreads, or if the pod itself is not spread.
 */
export function evenDomains(
  { rules, countedBy }: KeyRules,
  allowed: readonly number[],
  leftOut: ReadonlySet<number> = NO_DOMAINS,
): readonly number[] {
  if (countedBy.length === 0 || !rules.some(({ kind }) => kind === 'spread')) return allowed;
  const usable = leftOut.size === 0 ? allowed : allowed.filter((domain) => !leftOut.has(domain));
  const isEven = (domain: number): boolean => countedBy.every((counter) => isFewest(counter, domain, usable));
  return usable.some(isEven) ? allowed.filter(isEven) : allowed;
}

const NO_DOMAINS: ReadonlySet<number> = new Set();

function isFewest({ counts }: Counter, domain: number, among: readonly number[]): boolean {
  return among.every((other) => (counts[domain] ?? 0) <= (counts[other] ?? 0));
}

/** Affinity and anti-affinity. Unlike a spread, bound pods decide them for as long as they run. */
export type LastingRule = Exclude<TopologyRule, { readonly kind: 'spread' }>;

export function allowsDomain(rule: LastingRule, domain: number): boolean {
  const matching = rule.counter.counts[domain] ?? 0;
  return rule.kind === 'repel' ? matching === 0 : matching > 0 || startsGroup(rule);
}

/** The minimum count over the eligible domains; 0 if there are fewer domains than minDomains (B48). */
export function minimumCount({ counter, eligible, minDomains }: SpreadRule): number {
  if (eligible.length === 0 || eligible.length < minDomains) return 0;
  let least = Number.MAX_SAFE_INTEGER;
  for (const domain of eligible) least = Math.min(least, counter.counts[domain] ?? 0);
  return least;
}
