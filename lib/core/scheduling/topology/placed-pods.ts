import type { Pod } from '../../../apis/kubernetes.ts';
import { isActive } from '../../cluster/pods.ts';
import { memoize } from '../memoize.ts';
import type { ExistingHost } from '../placement/existing-host.ts';
import type { PodClass, PodClasses } from '../pods/pod-classes.ts';
import {
  type Counted,
  type CountedHost,
  type Counter,
  count,
  type HostFacts,
  type PlacedPods,
  selects,
  uncount,
} from './counters.ts';
import { labelIndex, labelTexts, namedLabels } from './label-index.ts';
import { hostFacts } from './rule-sources.ts';
import { repelledBy, type TermSources } from './rules.ts';

/** The current hosts of the pods that a question moves, by class. */
export type MovedPods = ReadonlyMap<PodClass, readonly CountedHost[]>;

/** The pods that are on hosts before a run starts. */
export interface PlacedIndex {
  /** The same without the pods that a question moves. *Cost:* none until a counter is created. */
  without(moved: MovedPods): PlacedPods;
  /** The same after pods have moved. *Cost:* none until a counter is created, then O(pods of the changed hosts) for each counter. */
  after(change: PlacedChange): PlacedIndex;
}

/** Hosts whose pods have changed, as they were and as they are. */
export interface PlacedChange {
  /** All hosts, as they are. */
  readonly hosts: readonly ExistingHost[];
  readonly leaving: readonly ExistingHost[];
  readonly arriving: readonly ExistingHost[];
}

export interface PlacedContext {
  readonly classes: Pick<PodClasses, 'ofPlaced'>;
  readonly sources: TermSources;
  /** B46: pods that every run places. They do not count on their current host. */
  readonly moving: ReadonlySet<unknown>;
  /** Whether counters are cached from one question to the next. */
  readonly caches: boolean;
}

/** The identity of a pod. Two objects may describe the same pod. */
export function identityOf(pod: Pod): unknown {
  return pod.metadata.uid ?? pod;
}

/** *Cost:* O(placed pods), once for each cluster index. */
export function placedIndex(hosts: readonly ExistingHost[], context: PlacedContext): PlacedIndex {
  const { caches } = context;
  const facts = hostFacts(hosts, []);
  const { hostsOf, repelling, owners } = placedByClass(hosts, context);
  const byLabel = Map.groupBy(
    [...hostsOf.keys()].flatMap((podClass) => labelTexts(podClass.labels).map((label) => ({ label, podClass }))),
    ({ label }) => label,
  );
  // A moved pod may be of another class than before: without its preferences (B32).
  const repelledTexts = memoize(
    (podClass: PodClass) => new Set(repelledBy(podClass, context.sources).map(({ text }) => text)),
  );
  const isCounted = (counted: Counted, podClass: PodClass): boolean =>
    counted.kind === 'repelled' ? repelledTexts(podClass).has(counted.text) : selects(counted, podClass);
  const candidates = (counted: Counted): Iterable<PodClass> => {
    if (counted.kind === 'repelled') return owners.get(counted.text) ?? [];
    const named = namedLabels(counted.selector);
    return named?.flatMap((label) => byLabel.get(label)?.map(({ podClass }) => podClass) ?? []) ?? hostsOf.keys();
  };
  const filled = (counted: Counted): Counter => {
    const counter: Counter = { counted, counts: [], total: 0, changes: 0 };
    for (const podClass of candidates(counted)) {
      if (!isCounted(counted, podClass)) continue;
      for (const host of hostsOf.get(podClass) ?? []) count(counter, host, facts);
    }
    return counter;
  };
  const level: Level = { counterOf: caches ? cached(filled) : filled, facts, depth: 0 };
  return placedAt(level, { context, repelling, isCounted });
}

/** The placed pods after so many changes. */
interface Level {
  /** *Shape:* a new counter for each call. */
  readonly counterOf: (counted: Counted) => Counter;
  readonly facts: HostFacts;
  readonly depth: number;
}

interface Kinds {
  readonly context: PlacedContext;
  readonly repelling: PlacedPods['repelling'];
  readonly isCounted: (counted: Counted, podClass: PodClass) => boolean;
}

/** After so many changes the pods are counted again, so that counters of earlier changes are not kept for ever. */
const MAX_DEPTH = 64;

function placedAt({ counterOf, facts, depth }: Level, kinds: Kinds): PlacedIndex {
  const { context, repelling, isCounted } = kinds;
  return {
    without: (moved) => ({
      repelling,
      counterOf(counted) {
        const counter = counterOf(counted);
        for (const [podClass, from] of moved) {
          if (isCounted(counted, podClass)) for (const host of from) uncount(counter, host, facts);
        }
        return counter;
      },
    }),
    after({ hosts, leaving, arriving }) {
      if (depth === MAX_DEPTH) return placedIndex(hosts, context);
      const factsNow = hostFacts(hosts, []);
      const [before, now] = [leaving, arriving].map((some) => placedOn(some, context));
      const changed = (counted: Counted): Counter => {
        const counter = counterOf(counted);
        for (const { podClass, host } of before ?? []) if (isCounted(counted, podClass)) uncount(counter, host, facts);
        for (const { podClass, host } of now ?? []) if (isCounted(counted, podClass)) count(counter, host, factsNow);
        return counter;
      };
      return placedAt({ counterOf: cached(changed), facts: factsNow, depth: depth + 1 }, kinds);
    },
  };
}

function cached(counterOf: (counted: Counted) => Counter): (counted: Counted) => Counter {
  const known = new Map<string, Counter>();
  return (counted) => {
    const counter = known.get(counted.text) ?? counterOf(counted);
    known.set(counted.text, counter);
    return { ...counter, counts: counter.counts.slice() };
  };
}

/** The pods on the hosts that count before a run starts, by class. */
function placedOn(
  hosts: readonly ExistingHost[],
  { classes, moving }: PlacedContext,
): readonly { readonly podClass: PodClass; readonly host: ExistingHost }[] {
  return hosts.flatMap((host) =>
    host.stateNode.pods.flatMap((pod) =>
      isActive(pod) && !moving.has(identityOf(pod)) ? [{ podClass: classes.ofPlaced(pod), host }] : [],
    ),
  );
}

interface PlacedByClass {
  readonly hostsOf: ReadonlyMap<PodClass, readonly CountedHost[]>;
  readonly repelling: PlacedPods['repelling'];
  /** The classes that have a required anti-affinity term, by the text of the term. */
  readonly owners: ReadonlyMap<string, ReadonlySet<PodClass>>;
}

function placedByClass(hosts: readonly ExistingHost[], context: PlacedContext): PlacedByClass {
  const hostsOf = new Map<PodClass, CountedHost[]>();
  const repelling = labelIndex<Counted>(({ selector }) => selector);
  const owners = new Map<string, Set<PodClass>>();
  for (const { podClass, host } of placedOn(hosts, context)) {
    const there = hostsOf.get(podClass);
    if (there !== undefined) {
      there.push(host);
      continue;
    }
    hostsOf.set(podClass, [host]);
    for (const counted of repelledBy(podClass, context.sources)) {
      const all = owners.get(counted.text);
      if (all === undefined) repelling.add(counted);
      owners.set(counted.text, (all ?? new Set()).add(podClass));
    }
  }
  return { hostsOf, repelling, owners };
}
