import type { Pod } from '../../../apis/kubernetes.ts';
import { isActive } from '../../cluster/pods.ts';
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
import { repelledBy, type TermSources } from './rules.ts';

/** The current hosts of the pods that a question moves, by class. */
export type MovedPods = ReadonlyMap<PodClass, readonly CountedHost[]>;

/** The pods that are on hosts before a run starts. */
export interface PlacedIndex {
  /** The same without the pods that a question moves. *Cost:* none until a counter is created. */
  without(moved: MovedPods): PlacedPods;
}

export interface PlacedContext {
  readonly classes: Pick<PodClasses, 'ofPlaced'>;
  readonly sources: TermSources;
  readonly facts: HostFacts;
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
  const { facts, caches } = context;
  const { hostsOf, repelling, owners } = placedByClass(hosts, context);
  const byLabel = Map.groupBy(
    [...hostsOf.keys()].flatMap((podClass) => labelTexts(podClass.labels).map((label) => ({ label, podClass }))),
    ({ label }) => label,
  );
  const isCounted = (counted: Counted, podClass: PodClass): boolean =>
    counted.kind === 'repelled' ? owners.get(counted.text)?.has(podClass) === true : selects(counted, podClass);
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
  const known = new Map<string, Counter>();
  const cached = (counted: Counted): Counter => {
    const counter = known.get(counted.text) ?? filled(counted);
    known.set(counted.text, counter);
    return { ...counter, counts: counter.counts.slice() };
  };
  return {
    without: (moved) => ({
      repelling,
      counterOf(counted) {
        const counter = caches ? cached(counted) : filled(counted);
        for (const [podClass, from] of moved) {
          if (isCounted(counted, podClass)) for (const host of from) uncount(counter, host, facts);
        }
        return counter;
      },
    }),
  };
}

interface PlacedByClass {
  readonly hostsOf: ReadonlyMap<PodClass, readonly CountedHost[]>;
  readonly repelling: PlacedPods['repelling'];
  /** The classes that have a required anti-affinity term, by the text of the term. */
  readonly owners: ReadonlyMap<string, ReadonlySet<PodClass>>;
}

function placedByClass(hosts: readonly ExistingHost[], { classes, sources, moving }: PlacedContext): PlacedByClass {
  const hostsOf = new Map<PodClass, CountedHost[]>();
  const repelling = labelIndex<Counted>(({ selector }) => selector);
  const owners = new Map<string, Set<PodClass>>();
  for (const host of hosts) {
    for (const pod of host.stateNode.pods) {
      if (!isActive(pod) || moving.has(identityOf(pod))) continue;
      const podClass = classes.ofPlaced(pod);
      const there = hostsOf.get(podClass);
      if (there !== undefined) {
        there.push(host);
        continue;
      }
      hostsOf.set(podClass, [host]);
      for (const counted of repelledBy(podClass, sources)) {
        const all = owners.get(counted.text);
        if (all === undefined) repelling.add(counted);
        owners.set(counted.text, (all ?? new Set()).add(podClass));
      }
    }
  }
  return { hostsOf, repelling, owners };
}
