import { compareText } from '../compare-text.ts';
import { toMicros } from '../usd-per-hour.ts';
import { addTo, NOTHING, plus, type UsageLook } from './look-at-usage.ts';
import type { NodeUsage, Requested, UsageHour } from './usage-hour.ts';

/** The sums of the looks of one hour. */
export interface UsageBook extends Pick<UsageHour, 'hourMs' | 'atMs' | 'looks' | 'nodes' | 'nodesNow'> {
  readonly usdPerHour: number;
  readonly namespaces: Sums;
  readonly labels: ReadonlyMap<string, Sums>;
}

type Sums = ReadonlyMap<string, Requested>;

/** @param book of the same hour. @default the look is the first one */
export function withLook(
  book: UsageBook | undefined,
  look: UsageLook,
  { hourMs, atMs }: { readonly hourMs: number; readonly atMs: number },
): UsageBook {
  const labels = [...look.labels].map(([label, values]) => [label, summed(book?.labels.get(label), values)] as const);
  return {
    hourMs,
    atMs,
    looks: (book?.looks ?? 0) + 1,
    usdPerHour: (book?.usdPerHour ?? 0) + look.usdPerHour,
    nodes: nodesSeen(book?.nodes, look.nodes),
    nodesNow: look.nodes.length,
    namespaces: summed(book?.namespaces, look.namespaces),
    labels: new Map(labels),
  };
}

function nodesSeen(before: readonly NodeUsage[] = [], now: readonly NodeUsage[]): readonly NodeUsage[] {
  const known = new Map(before.map((node) => [node.name, node]));
  const seen = now.map((node): NodeUsage => {
    const { looks = 0, requestedUsdPerHour: until = 0 } = known.get(node.name) ?? {};
    const mean = (until * looks + node.requestedUsdPerHour) / (looks + 1);
    return { ...node, looks: looks + 1, requestedUsdPerHour: toMicros(mean) };
  });
  for (const { name } of now) known.delete(name);
  return [...seen, ...known.values()];
}

function summed(before: Sums = new Map(), more: Sums): Sums {
  const sums = new Map(before);
  for (const [key, one] of more) addTo(sums, key, one);
  return sums;
}

/** The number of namespaces, and of values of a label. The others, which cost least, are added up under OTHERS. @internal */
export const MAX_KEYS = 200;
/** @internal */
export const OTHERS = '(others)';

/** The averages of the hour. */
export function usageHour(cluster: string, book: UsageBook): UsageHour {
  const { hourMs, atMs, looks, usdPerHour, nodes, nodesNow, namespaces, labels } = book;
  const values = [...labels].map(([label, sums]) => [label, averages(sums, looks)] as const);
  return {
    formatVersion: 1,
    cluster,
    hourMs,
    atMs,
    looks,
    usdPerHour: toMicros(usdPerHour / looks),
    nodes,
    nodesNow,
    namespaces: averages(namespaces, looks),
    labels: Object.fromEntries(values),
  };
}

function averages(sums: Sums, looks: number): Readonly<Record<string, Requested>> {
  const all = [...sums].toSorted(([a, one], [b, other]) => other.usdPerHour - one.usdPerHour || compareText(a, b));
  const kept = all.slice(0, MAX_KEYS);
  const rest = all.slice(MAX_KEYS).map(([, one]) => one);
  const others = rest.length === 0 ? [] : [[OTHERS, rest.reduce(plus, NOTHING)] as const];
  return Object.fromEntries([...kept, ...others].map(([key, one]) => [key, averageOf(one, looks)]));
}

function averageOf({ cpuMillicores, memoryMib, usdPerHour }: Requested, looks: number): Requested {
  return {
    cpuMillicores: Math.round(cpuMillicores / looks),
    memoryMib: Math.round(memoryMib / looks),
    usdPerHour: toMicros(usdPerHour / looks),
  };
}
