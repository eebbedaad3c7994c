import {
  type LabelSelector,
  type Namespace,
  type Pod,
  type PodAffinityTerm,
  selectorMatches,
} from '../../../apis/kubernetes.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { type LabelIndex, labelIndex, labelTexts } from './label-index.ts';
import type { TopologyKey } from './topology-key.ts';

/** Where pods are counted: a node, a claim in flight, or a claim that this run plans. */
export interface CountedHost {
  /** Its number among all hosts of the run. */
  readonly index: number;
  /** The domains it is in, or may still get; one where that is certain. */
  domainsOf(key: TopologyKey): readonly number[];
}

/** How many pods of a kind each domain of a label has (B46). */
export interface Counter {
  readonly counted: Counted;
  /** By domain; by host for hostnames. */
  readonly counts: number[];
  total: number;
  /** Grows with every change, so that what was worked out from it can be told to be old. */
  changes: number;
}

/** What a counter counts. */
export interface Counted {
  readonly key: TopologyKey;
  /** `attract`, `repel` and `spread` count pods that the selector picks, `repelled` the pods whose term it is (B55). */
  readonly kind: 'spread' | 'attract' | 'repel' | 'repelled';
  /** Undefined: every namespace. */
  readonly namespaces: ReadonlySet<string> | undefined;
  readonly selector: LabelSelector | undefined;
  /** B51: hosts that do not count. */
  readonly filter?: HostFilter;
  /** Tells one of these from another. */
  readonly text: string;
}

/** What has to be asked about a host (B51). */
export interface HostFacts {
  /** Whether the host's labels meet one of the alternatives, as far as they are known. */
  meets(host: CountedHost, alternatives: readonly Requirements[]): boolean;
  toleratedBy(host: CountedHost, pod: Pod): boolean;
}

export interface HostFilter {
  /** Tells one filter from another. */
  readonly text: string;
  readonly counts: (host: CountedHost, facts: HostFacts) => boolean;
}

/** The pods that are placed before a run begins, as its counters start from them. */
export interface PlacedPods {
  /** *Shape:* a counter of its own for each caller. */
  counterOf(counted: Counted): Counter;
  /** The terms of placed pods that may keep others away (B55). */
  readonly repelling: Pick<LabelIndex<Counted>, 'others' | 'at'>;
}

/** The counters of one run. */
export interface Counters {
  /** The one for this, made and filled from what is placed already where it is new. */
  counterFor(counted: Counted): Counter;
  /** Makes the owner count wherever it is placed from now on: its own term keeps others away. */
  own(counter: Counter, owner: PodClass): void;
  /** The counters of the class's own terms. */
  ownedBy(podClass: PodClass): readonly Counter[];
  /** The counters that count such pods by their labels. */
  countersOf(podClass: PodClass): readonly Counter[];
  /** The counters of terms that keep such pods away. */
  repellersOf(podClass: PodClass): readonly Counter[];
  record(podClass: PodClass, host: CountedHost): void;
}

interface Selecting {
  readonly counting: readonly Counter[];
  readonly repelling: readonly Counter[];
}

/** *Cost:* a counter of placed pods is made where a class of the run asks for it, so a run pays for what its pods need. */
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

/** The counters that there are, and which of them bear on a class: those of this run first, then those that only placed pods make. */
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
  const together = (mine: readonly Counter[], theirs: readonly Counted[]): readonly Counter[] =>
    theirs.length === 0 ? mine : [...mine, ...theirs.filter(({ text }) => !byText.has(text)).map(placedCounter)];
  const select = (podClass: PodClass): Selecting => {
    const all = [
      ...together(index.others, before.repelling.others),
      ...labelTexts(podClass.labels).flatMap((label) => together(index.at(label), before.repelling.at(label))),
    ].filter(({ counted }) => selects(counted, podClass));
    return {
      counting: all.filter(({ counted }) => counted.kind !== 'repelled'),
      repelling: all.filter(({ counted }) => counted.kind === 'repelled'),
    };
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
      const found = selecting.get(podClass) ?? select(podClass);
      selecting.set(podClass, found);
      return found;
    },
  };
}

/** Counts a pod on the host. */
export function count(counter: Counter, host: CountedHost, facts: HostFacts): void {
  change(counter, domainsCounted(counter, host, facts), 1);
}

/** Counts a pod on the host no longer. */
export function uncount(counter: Counter, host: CountedHost, facts: HostFacts): void {
  change(counter, domainsCounted(counter, host, facts), -1);
}

/** B56: a host whose domain is open keeps others away from every domain that it may get; it is in none for sure. */
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

/** Whether the term picks such pods. */
export function selects(
  { namespaces, selector }: Pick<Counted, 'namespaces' | 'selector'>,
  { namespace, labels }: PodClass,
): boolean {
  return (namespaces === undefined || namespaces.has(namespace)) && selectorMatches(selector, labels);
}

/** The same with the text that tells it from others. */
export function countedOf(of: Omit<Counted, 'text'>): Counted {
  const { key, kind, namespaces, selector, filter } = of;
  const where = namespaces === undefined ? '*' : [...namespaces].toSorted().join();
  return { ...of, text: [kind, key.name, where, JSON.stringify(selector), filter?.text].join('\n') };
}

/** B52: the pod's own namespace where a term names none; namespaceSelector adds those that it picks. */
export function namespacesOf(
  term: PodAffinityTerm,
  owner: string,
  known: readonly Namespace[],
): ReadonlySet<string> | undefined {
  const { namespaces = [], namespaceSelector } = term;
  if (namespaceSelector === undefined) return new Set(namespaces.length === 0 ? [owner] : namespaces);
  const everywhere =
    Object.keys(namespaceSelector.matchLabels ?? {}).length === 0 &&
    (namespaceSelector.matchExpressions ?? []).length === 0;
  if (everywhere) return undefined;
  const picked = known.filter(({ metadata }) =>
    selectorMatches(namespaceSelector, { 'kubernetes.io/metadata.name': metadata.name, ...metadata.labels }),
  );
  return new Set([...namespaces, ...picked.map(({ metadata }) => metadata.name)]);
}
