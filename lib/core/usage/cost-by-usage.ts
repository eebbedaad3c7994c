/** What pods cost: the price of the instances, divided by what the pods on them request. */

import { HOUR_MS } from '../../apis/formats/time.ts';
import { fieldOf } from '../../apis/record.ts';
import { compareText } from '../compare-text.ts';
import { costByKey, type NodeSpan } from '../decisions/node-hours.ts';
import { hourOf, type NodeUsage, type Requested, type UsageHour } from './usage-hour.ts';

/** The cost that no pod with a key has requested. @internal */
export const REST = {
  /** What no pod requests of the nodes. */
  notRequested: '(not requested)',
  /** Pods without the label. */
  withoutLabel: '(without the label)',
  /** Hours of which no usage is recorded. */
  notKnown: '(not known)',
} as const;

export interface PodCost {
  readonly key: string;
  readonly cpuHours: number;
  readonly memoryGibHours: number;
  readonly usd: number;
}

interface Period {
  readonly fromMs: number;
  readonly untilMs: number;
}

interface UsedPeriod extends Period {
  readonly spans: readonly NodeSpan[];
  readonly hours: readonly UsageHour[];
}

/**
 * The cost of each hour goes to the namespaces by what they requested, the highest cost first. @param label divides it by its values instead
 * *Cost:* O(hours · (instances + keys)).
 */
export function costByUsage({ spans, hours, fromMs, untilMs }: UsedPeriod, label?: string): readonly PodCost[] {
  const known = new Map(hours.map((hour) => [hour.hourMs, hour]));
  const sums = new Map<string, PodCost>();
  for (let hourMs = hourOf(fromMs); hourMs < untilMs; hourMs += HOUR_MS) {
    const part = { fromMs: Math.max(hourMs, fromMs), untilMs: Math.min(hourMs + HOUR_MS, untilMs) };
    const [paid] = costByKey(spans, () => '', part);
    if (paid === undefined) continue;
    const hour = known.get(hourMs);
    const shares = hour === undefined ? [NOT_KNOWN] : sharesOf(hour, label);
    const whole = sumOf(shares);
    const hoursOfPart = (part.untilMs - part.fromMs) / HOUR_MS;
    for (const [key, { cpuMillicores, memoryMib, usdPerHour }] of shares) {
      const before = sums.get(key);
      sums.set(key, {
        key,
        cpuHours: (before?.cpuHours ?? 0) + (cpuMillicores / 1_000) * hoursOfPart,
        memoryGibHours: (before?.memoryGibHours ?? 0) + (memoryMib / 1_024) * hoursOfPart,
        usd: (before?.usd ?? 0) + paid.usd * (usdPerHour / whole),
      });
    }
  }
  return [...sums.values()].toSorted((a, b) => b.usd - a.usd || compareText(a.key, b.key));
}

const NOT_KNOWN: Share = [REST.notKnown, { cpuMillicores: 0, memoryMib: 0, usdPerHour: 1 }];

type Share = readonly [key: string, requested: Requested];

/** *Shape:* their prices add up to more than 0. The price of an hour whose nodes had none, as in reservations, has no owner. */
function sharesOf(hour: UsageHour, label: string | undefined): readonly Share[] {
  const shares = pricedShares(hour, label);
  return sumOf(shares) > 0 ? shares : [...shares, NOT_KNOWN];
}

function pricedShares(hour: UsageHour, label: string | undefined): readonly Share[] {
  const namespaces = Object.entries(hour.namespaces);
  const requested = sumOf(namespaces);
  const without = { cpuMillicores: 0, memoryMib: 0 };
  const free = [REST.notRequested, { ...without, usdPerHour: Math.max(0, hour.usdPerHour - requested) }] as const;
  if (label === undefined) return [...namespaces, free];
  const values = fieldOf(hour.labels, label);
  if (values === undefined) return [[REST.notKnown, { ...without, usdPerHour: hour.usdPerHour }]];
  const labelled = Object.entries(values);
  const others = { ...without, usdPerHour: Math.max(0, requested - sumOf(labelled)) };
  return [...labelled, [REST.withoutLabel, others], free];
}

function sumOf(all: readonly Share[]): number {
  return all.reduce((sum, [, { usdPerHour }]) => sum + usdPerHour, 0);
}

/**
 * How much of the price of nodes their pods requested, from 0 to 1, by the keys of the nodes. *Shape:* keys without a node in these hours
 * are left out.
 */
export function requestedShares(
  hours: readonly UsageHour[],
  keyOf: (node: NodeUsage) => string,
): ReadonlyMap<string, number> {
  const sums = new Map<string, { paid: number; requested: number }>();
  for (const { nodes } of hours) {
    for (const node of nodes) {
      const sum = sums.get(keyOf(node)) ?? { paid: 0, requested: 0 };
      sums.set(keyOf(node), {
        paid: sum.paid + node.usdPerHour * node.looks,
        requested: sum.requested + node.requestedUsdPerHour * node.looks,
      });
    }
  }
  return new Map([...sums].flatMap(([key, { paid, requested }]) => (paid === 0 ? [] : [[key, requested / paid]])));
}
