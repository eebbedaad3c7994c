import {
  type LabelSelector,
  type Namespace,
  type Pod,
  type PodAffinityTerm,
  selectorMatches,
} from '../../../apis/kubernetes.ts';
import { includesNamespace, namespaceLabels, termNamespaces } from '../../cluster/namespaces.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { type LabelIndex, labelIndex, labelTexts } from './label-index.ts';
import type { TopologyKey } from './topology-key.ts';

/** A host whose pods are counted: a node, a claim in flight, or a claim that this run plans. */
export interface CountedHost {
  /** Its position among all hosts of the run. */
  readonly index: number;
  /** The possible domains of the host. There is one if the domain is certain. */
  domainsOf(key: TopologyKey): readonly number[];
}

/** The number of pods of a kind in each domain of a label (B46). */
export interface Counter {
  readonly counted: Counted;
  /** By domain; by host for hostnames. */
  readonly counts: number[];
  total: number;
  /** The number of changes, to detect that values computed from the counter are outdated. */
  changes: number;
}

/** The definition of a counter. */
export interface Counted {
  readonly key: TopologyKey;
  /** `attract`, `repel` and `spread` count the pods that the selector selects; `repelled` counts the pods that have the term (B55). */
  readonly kind: 'spread' | 'attract' | 'repel' | 'repelled';
  /** Undefined: all namespaces. */
  readonly namespaces: ReadonlySet<string> | undefined;
  readonly selector: LabelSelector | undefined;
  /** B53: the different required affinity terms that must all select a pod, if there are several. */
  readonly joined?: readonly Pick<Counted, 'namespaces' | 'selector'>[];
  /** B51: which hosts count. */
  readonly filter?: HostFilter;
  /** The key: equal definitions have the same text. */
  readonly text: string;
}

/** Properties of hosts that a filter uses (B51). */
export interface HostFacts {
  /** Whether the known labels of the host satisfy one of the alternatives. */
  meets(host: CountedHost, alternatives: readonly Requirements[]): boolean;
  toleratedBy(host: CountedHost, pod: Pod): boolean;
}

export interface HostFilter {
  /** The key: equal filters have the same text. */
  readonly text: string;
  readonly counts: (host: CountedHost, facts: HostFacts) => boolean;
}

/** The pods that are placed before a run starts. The counters of the run start with them. */
export interface PlacedPods {
  /** *Shape:* a new counter for each call. */
  counterOf(counted: Counted): Counter;
  /** The required anti-affinity terms of placed pods (B55). */
  readonly repelling: Pick<LabelIndex<Counted>, 'others' | 'at'>;
}

/** The counters of one run. */
export interface Counters {
  /** The counter of this definition. A new counter starts with the placed pods. */
  counterFor(counted: Counted): Counter;
  /** Makes the counter count the owner wherever it is placed: the owner has the anti-affinity term. */
  own(counter: Counter, owner: PodClass): void;
  /** The counters of the class's own terms. */
  ownedBy(podClass: PodClass): readonly Counter[];
  /** The counters that count these pods by their labels. */
  countersOf(podClass: PodClass): readonly Counter[];
  /** The counters of anti-affinity terms of other pods that select these pods. */
  repellersOf(podClass: PodClass): readonly Counter[];
  record(podClass: PodClass, host: CountedHost): void;
}

interface Selecting {
  readonly counting: readonly Counter[];
  readonly repelling: readonly Counter[];
}

/** *Cost:* a counter of placed pods is created when a class of the run needs it. */
export function counters(before: PlacedPods, facts: HostFacts): Counters {
  const all = countersByText(before);
  const owned = new Map<PodClass, Set<Counter>>();
  const placed = new Map<PodClass, CountedHost[]>();
  return {
    counterFor(counted) {
      const { counter, isNew } = all.counterFor(counted);
      if (!isNew || counted.kind === 'repelled') return counter;
      for (const [podClass, hosts] of placed) {
        if (selects(counted, podClass)) for (const host of hosts) count(counter, host, facts);
      }
      return counter;
    },
    own(counter, owner) {
      const own = owned.get(owner) ?? new Set();
      if (own.has(counter)) return;
      owned.set(owner, own.add(counter));
      for (const host of placed.get(owner) ?? []) count(counter, host, facts);
    },
    ownedBy: (podClass) => [...(owned.get(podClass) ?? [])],
    countersOf: (podClass) => all.selectingOf(podClass).counting,
    repellersOf: (podClass) => all.selectingOf(podClass).repelling,
    record(podClass, host) {
      const hosts = placed.get(podClass);
      if (hosts === undefined) placed.set(podClass, [host]);
      else hosts.push(host);
      for (const counter of all.selectingOf(podClass).counting) count(counter, host, facts);
      for (const counter of owned.get(podClass) ?? []) count(counter, host, facts);
    },
  };
}

/** All counters, and those that apply to a class: first the counters of this run, then those of terms that only placed pods have. */
function countersByText(before: PlacedPods): {
  counterFor(counted: Counted): { readonly counter: Counter; readonly isNew: boolean };
  selectingOf(podClass: PodClass): Selecting;
} {
  const byText = new Map<string, Counter>();
  const ofPlaced = new Map<string, Counter>();
  const index = labelIndex<Counter>((counter) => counter.counted.selector);
  const selecting = new Map<PodClass, Selecting>();
  const placedCounter = (counted: Counted): Counter => {
    const counter = ofPlaced.get(counted.text) ?? before.counterOf(counted);
    ofPlaced.set(counted.text, counter);
    return counter;
  };
  const select = (podClass: PodClass): Selecting => {
    const counting: Counter[] = [];
    const repelling: Counter[] = [];
    const add = (mine: readonly Counter[], theirs: readonly Counted[]): void => {
      for (const counter of mine) {
        const { counted } = counter;
        if (selects(counted, podClass)) (counted.kind === 'repelled' ? repelling : counting).push(counter);
      }
      for (const counted of theirs) {
        if (!byText.has(counted.text) && selects(counted, podClass)) repelling.push(placedCounter(counted));
      }
    };
    add(index.others, before.repelling.others);
    for (const label of labelTexts(podClass.labels)) add(index.at(label), before.repelling.at(label));
    return { counting, repelling };
  };
  return {
    counterFor(counted) {
      const known = byText.get(counted.text);
      if (known !== undefined) return { counter: known, isNew: false };
      const counter = placedCounter(counted);
      byText.set(counted.text, counter);
      index.add(counter);
      selecting.clear();
      return { counter, isNew: true };
    },
    selectingOf(podClass) {
      const known = selecting.get(podClass);
      if (known !== undefined) return known;
      const found = select(podClass);
      selecting.set(podClass, found);
      return found;
    },
  };
}

/** Adds a pod on the host. */
export function count(counter: Counter, host: CountedHost, facts: HostFacts): void {
  change(counter, domainsCounted(counter, host, facts), 1);
}

/** Removes a pod from the host. */
export function uncount(counter: Counter, host: CountedHost, facts: HostFacts): void {
  change(counter, domainsCounted(counter, host, facts), -1);
}

/** B56: if the domain of a host is open, its pods count in every possible domain for anti-affinity, and in none for affinity. */
function domainsCounted({ counted }: Counter, host: CountedHost, facts: HostFacts): readonly number[] {
  const { key, kind, filter } = counted;
  if (filter?.counts(host, facts) === false) return NO_DOMAINS;
  const domains = key.isHostname ? [host.index] : host.domainsOf(key);
  return domains.length > 1 && kind === 'attract' ? NO_DOMAINS : domains;
}

const NO_DOMAINS: readonly number[] = [];

function change(counter: Counter, domains: readonly number[], by: 1 | -1): void {
  if (domains.length === 0) return;
  for (const domain of domains) counter.counts[domain] = (counter.counts[domain] ?? 0) + by;
  counter.total += by;
  counter.changes += 1;
}

/** Whether the term selects these pods. */
export function selects(
  { namespaces, selector }: Pick<Counted, 'namespaces' | 'selector'>,
  { namespace, labels }: PodClass,
): boolean {
  return (namespaces === undefined || namespaces.has(namespace)) && selectorMatches(selector, labels);
}

/** Adds the key to a definition. */
export function countedOf(of: Omit<Counted, 'text'>): Counted {
  const { key, kind, namespaces, selector, filter, joined } = of;
  const where = namespaces === undefined ? '*' : [...namespaces].toSorted().join();
  return { ...of, text: [kind, key.name, where, JSON.stringify(selector), filter?.text, joined?.length].join('\n') };
}

/** The names of the namespaces of a term (B52). *Shape:* undefined for all namespaces. */
export function namespacesOf(
  term: PodAffinityTerm,
  owner: string,
  known: readonly Namespace[],
): ReadonlySet<string> | undefined {
  const where = termNamespaces(term, owner);
  const { names, selector } = where;
  if (selector !== undefined && selectsAll(selector)) return undefined;
  const found = known.filter((one) => includesNamespace(where, one.metadata.name, namespaceLabels(one)));
  return new Set([...names, ...found.map(({ metadata }) => metadata.name)]);
}

function selectsAll({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length + matchExpressions.length === 0;
}
