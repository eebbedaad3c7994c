import { formatExactTime, HOUR_MS } from '../../apis/formats/time.ts';
import { costByKey, type NodeSpan, nodeSpans } from '../../core/decisions/node-hours.ts';
import { costByUsage, requestedShares } from '../../core/usage/cost-by-usage.ts';
import type { NodeUsage } from '../../core/usage/usage-hour.ts';
import type { CliContext } from '../context.ts';
import { openHistory, recordsOfPeriod } from '../decisions/history.ts';
import { EXIT } from '../exit-codes.ts';
import { printable } from '../render/render-lines.ts';
import type { CostBy, CostFlags, CostKey } from './cost-command.ts';
import { type CostTable, instanceCostText, podCostText } from './render-cost.ts';

const DEFAULT_COLUMNS = 120;

/** Both have the fields of the same names. */
const KEY_OF: Readonly<Record<CostKey, (one: NodeSpan | NodeUsage) => string>> = {
  pool: ({ nodePool }) => nodePool,
  zone: ({ zone }) => zone,
  'capacity-type': ({ capacityType }) => capacityType,
  'instance-type': ({ instanceType }) => instanceType,
};

/** Runs `kerf cost`. *Errors:* BadInputError if the records cannot be found. */
export async function runCost(context: CliContext, flags: CostFlags): Promise<void> {
  const history = await openHistory(flags, context);
  const { records, period } = await recordsOfPeriod(history, flags, flags.since);
  const spans = nodeSpans(records, await history.running());
  const hours = await history.log.usage(history.cluster, { ...period, fromMs: period.fromMs - HOUR_MS + 1 });
  const width = context.columns ?? DEFAULT_COLUMNS;
  const table: CostTable = { ...period, spans, hours, width };
  const { stdout, stderr } = context.process;
  for (const note of [whyNotKnown(table, flags.by), reservedNote(table)])
    if (note !== undefined) stderr.write(`${printable(note)}\n`);
  if (flags.output === 'json') {
    const times = { from: formatExactTime(period.fromMs), until: formatExactTime(period.untilMs) };
    const head = { formatVersion: 1, cluster: history.cluster, ...times, by: nameOf(flags.by) };
    stdout.write(`${JSON.stringify({ ...head, ...rowsOf(table, flags.by) }, null, 2)}\n`);
  } else stdout.write(textOf(table, flags.by));
  context.process.exitCode = EXIT.fine;
}

/** C30: the price of a reserved offering is next to nothing, so that it is used first. */
function reservedNote({ spans, ...period }: CostTable): string | undefined {
  const reserved = spans.filter(({ capacityType }) => capacityType === 'reserved');
  const [all] = costByKey(reserved, () => '', period);
  if (all === undefined) return undefined;
  return `${all.nodeHours.toFixed(1)} node hours in capacity reservations count as $0: the account pays for a reservation, used or not`;
}

function whyNotKnown({ hours }: CostTable, by: CostBy): string | undefined {
  if (by.of === 'instances') return undefined;
  const { label } = by;
  if (hours.length === 0) return 'no usage is recorded in this time: functions record it while there are nodes';
  if (label === undefined || hours.some(({ labels }) => Object.hasOwn(labels, label))) return undefined;
  return `no usage of label ${label} is recorded in this time: name it in usageLabels of the cluster`;
}

function nameOf(by: CostBy): string {
  if (by.of === 'instances') return by.key;
  return by.label === undefined ? 'namespace' : `label=${by.label}`;
}

function textOf(table: CostTable, by: CostBy): string {
  if (by.of === 'pods') return podCostText(costByUsage(table, by.label), { ...table, title: by.label ?? 'namespace' });
  const { spans, hours } = table;
  const keyOf = KEY_OF[by.key];
  const shares = requestedShares(hours, keyOf);
  return instanceCostText(costByKey(spans, keyOf, table), shares, { ...table, by: by.key });
}

function rowsOf(table: CostTable, by: CostBy) {
  if (by.of === 'pods') {
    const rows = costByUsage(table, by.label);
    const rounded = rows.map(({ key, ...figures }) => ({ key, ...roundedAll(figures) }));
    return { rows: rounded, total: { usd: rounded4(rows.reduce((sum, { usd }) => sum + usd, 0)) } };
  }
  const keyOf = KEY_OF[by.key];
  const rows = costByKey(table.spans, keyOf, table);
  const shares = requestedShares(table.hours, keyOf);
  const sumOf = (field: 'usd' | 'nodeHours'): number => rounded4(rows.reduce((sum, row) => sum + row[field], 0));
  return {
    rows: rows.map(({ key, ...figures }) => ({ key, ...roundedAll(figures), ...shareOf(shares, key) })),
    total: { usd: sumOf('usd'), nodeHours: sumOf('nodeHours') },
  };
}

function shareOf(shares: ReadonlyMap<string, number>, key: string): { readonly requestedShare?: number } {
  const share = shares.get(key);
  return share === undefined ? {} : { requestedShare: rounded4(share) };
}

function roundedAll(figures: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, rounded4(value)]));
}

function rounded4(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
