import { formatDayTime, formatTime } from '../../apis/formats/time.ts';
import { formatUsdPerHour, formatUsdPerMonth } from '../render/format-money.ts';
import type { ComparedDecision, ShadowReport } from './shadow-report.ts';

/** The titles of the tables of both forms. */
export const SHADOW_TITLES = {
  days: ['day', 'looks', 'nodes', 'Kerf: nodes', '$/h', 'Kerf: $/h'],
  launches: ['time (UTC)', 'pods', 'the other autoscaler launched', '$/h', 'Kerf would launch', 'Kerf: $/h', 'record'],
  decisions: ['time (UTC)', 'record', 'Kerf would', 'the other autoscaler', 'Kerf: $/h', '$/h'],
} as const;

/** The figures in sentences. */
export function figuresOf({ hours, other, kerf }: ShadowReport): readonly string[] {
  const saved = other.usdPerHour - kerf.usdPerHour;
  const share = other.usdPerHour === 0 ? 0 : (saved / other.usdPerHour) * 100;
  const evictions = hours.reduce((sum, { planned }) => sum + planned.evictions, 0) / hours.length;
  const verb = saved >= 0 ? 'less' : 'more';
  return [
    `The other autoscaler ran ${other.nodes.toFixed(1)} nodes for ${formatUsdPerHour(other.usdPerHour)} (${formatUsdPerMonth(other.usdPerHour)}), on average.`,
    `Kerf would have run ${kerf.nodes.toFixed(1)} nodes for ${formatUsdPerHour(kerf.usdPerHour)} (${formatUsdPerMonth(kerf.usdPerHour)}).`,
    `That is ${Math.abs(share).toFixed(1)} % ${verb}: ${formatUsdPerMonth(Math.abs(saved))}.`,
    `At each look, Kerf would have evicted ${evictions.toFixed(1)} pods to come there.`,
    'Each look is the plan of disruption on the cluster of that time, as all budgets allow it in the end. Prices are those that Kerf knew; volumes, traffic and discounts are not part of them.',
  ];
}

export function noHours(): string {
  return 'No look of this time is stored. Kerf stores one each hour while a cluster is in shadow and has nodes.';
}

const MAX_ROWS = 200;

/** The newest rows of a table, and how many are left out. */
export interface Shown<Row> {
  readonly rows: readonly Row[];
  readonly left: number;
}

export function shownRows<Row>(all: readonly Row[]): Shown<Row> {
  return { rows: all.slice(-MAX_ROWS), left: Math.max(0, all.length - MAX_ROWS) };
}

export function dayCells({ day, hours, other, kerf }: ShadowReport['days'][number]): readonly string[] {
  const nodes = [other.nodes, kerf.nodes].map((count) => count.toFixed(1));
  const usd = [other.usdPerHour, kerf.usdPerHour].map((one) => one.toFixed(4));
  return [day, String(hours), ...nodes, ...usd];
}

/** The title and the sentence below it. */
export function headingOf({ fromMs, untilMs, hours }: ShadowReport, cluster: string) {
  return {
    title: `Kerf in shadow: cluster ${cluster}`,
    period: `${formatTime(fromMs)} to ${formatTime(untilMs)}, ${hours.length} looks, one each hour.`,
  };
}

export function decisionCells(one: ComparedDecision): readonly string[] {
  const { atMs, id, kerf, other, kerfUsdPerHour, otherUsdPerHour } = one;
  return [
    formatDayTime(atMs),
    id,
    kerf,
    other,
    ...[kerfUsdPerHour, otherUsdPerHour].map((usd) => usd?.toFixed(4) ?? ''),
  ];
}
