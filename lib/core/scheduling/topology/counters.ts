import type { PodAffinityTerm } from '../../../apis/kubernetes.ts';
import { type LabelSelector, type Labels, type Namespace, selectorMatches } from '../../../apis/kubernetes.ts';
import type { PodClass } from '../pods/pod-classes.ts';
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
  /** B51: hosts that do not count, with a text that tells one filter from another. */
  readonly filter?: { readonly text: string; readonly counts: (host: CountedHost) => boolean };
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

export function counters(): Counters {
  const byText = new Map<string, Counter>();
  const index = labelIndex<Counter>((counter) => counter.counted.selector);
  const selecting = new Map<PodClass, Selecting>();
  const owned = new Map<PodClass, Set<Counter>>();
  const placed = new Map<PodClass, CountedHost[]>();
  const selectingOf = (podClass: PodClass): Selecting => {
    const known = selecting.get(podClass);
    if (known !== undefined) return known;
    const all = index.matching(podClass.labels).filter(({ counted }) => selects(counted, podClass));
    const found = {
      counting: all.filter(({ counted }) => counted.kind !== 'repelled'),
      repelling: all.filter(({ counted }) => counted.kind === 'repelled'),
    };
    selecting.set(podClass, found);
    return found;
  };
  return {
    counterFor(counted) {
      const text = textOf(counted);
      const known = byText.get(text);
      if (known !== undefined) return known;
      const counter: Counter = { counted, counts: [], total: 0, changes: 0 };
      byText.set(text, counter);
      index.add(counter);
      selecting.clear();
      if (counted.kind === 'repelled') return counter;
      for (const [podClass, hosts] of placed) {
        if (selects(counted, podClass)) for (const host of hosts) count(counter, host);
      }
      return counter;
    },
    own(counter, owner) {
      const all = owned.get(owner) ?? new Set();
      if (all.has(counter)) return;
      owned.set(owner, all.add(counter));
      for (const host of placed.get(owner) ?? []) count(counter, host);
    },
    ownedBy: (podClass) => [...(owned.get(podClass) ?? [])],
    countersOf: (podClass) => selectingOf(podClass).counting,
    repellersOf: (podClass) => selectingOf(podClass).repelling,
    record(podClass, host) {
      const hosts = placed.get(podClass);
      if (hosts === undefined) placed.set(podClass, [host]);
      else hosts.push(host);
      for (const counter of selectingOf(podClass).counting) count(counter, host);
      for (const counter of owned.get(podClass) ?? []) count(counter, host);
    },
  };
}

/**
 * B56: a host whose domain is open keeps others away from every domain that it may get; it is in none for sure.
 */
function count(counter: Counter, host: CountedHost): void {
  const { key, kind, filter } = counter.counted;
  if (filter?.counts(host) === false) return;
  const domains = key.isHostname ? [host.index] : host.domainsOf(key);
  if (domains.length === 0 || (domains.length > 1 && kind === 'attract')) return;
  for (const domain of domains) counter.counts[domain] = (counter.counts[domain] ?? 0) + 1;
  counter.total += 1;
  counter.changes += 1;
}

function selects({ namespaces, selector }: Counted, { namespace, labels }: PodClass): boolean {
  return (namespaces === undefined || namespaces.has(namespace)) && selectorMatches(selector, labels);
}

function textOf({ key, kind, namespaces, selector, filter }: Counted): string {
  const where = namespaces === undefined ? '*' : [...namespaces].toSorted().join();
  return [kind, key.name, where, JSON.stringify(selector), filter?.text].join('\n');
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

interface LabelIndex<T> {
  add(one: T): void;
  /** Those that may match, in the order in which they were added to their place. */
  matching(labels: Labels): readonly T[];
}

/** Most selectors name a label and its values: those are found by them, the others are always looked at. */
function labelIndex<T>(selectorOf: (one: T) => LabelSelector | undefined): LabelIndex<T> {
  const byLabel = new Map<string, T[]>();
  const others: T[] = [];
  return {
    add(one) {
      const named = namedLabels(selectorOf(one));
      if (named === undefined) others.push(one);
      for (const label of named ?? []) {
        const those = byLabel.get(label) ?? [];
        those.push(one);
        byLabel.set(label, those);
      }
    },
    matching: (labels) => [...others, ...Object.entries(labels).flatMap((label) => byLabel.get(label.join('=')) ?? [])],
  };
}

/** A label that each match must carry, once for each value that it may have; undefined where none is named. */
function namedLabels(selector: LabelSelector | undefined): readonly string[] | undefined {
  const [exact] = Object.entries(selector?.matchLabels ?? {});
  if (exact !== undefined) return [exact.join('=')];
  const listed = selector?.matchExpressions?.find(({ operator }) => operator === 'In');
  return listed === undefined ? undefined : [...new Set(listed.values)].map((value) => `${listed.key}=${value}`);
}
