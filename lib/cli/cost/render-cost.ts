import { formatTime, HOUR_MS, MINUTE_MS } from '../../apis/formats/time.ts';
import type { NodeCost, NodeSpan } from '../../core/decisions/node-hours.ts';
import type { PodCost } from '../../core/usage/cost-by-usage.ts';
import type { UsageHour } from '../../core/usage/usage-hour.ts';
import { formatUsd, formatUsdPerMonth } from '../render/format-money.ts';
import { type CellColumn, formatTableWithin } from '../render/format-table.ts';
import { printable } from '../render/render-lines.ts';
import type { CostKey } from './cost-command.ts';

/** What a table of costs is made of. */
export interface CostTable {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly spans: readonly NodeSpan[];
  readonly hours: readonly UsageHour[];
  /** In columns. */
  readonly width: number;
}

const TITLES: Readonly<Record<CostKey, string>> = {
  pool: 'NodePool',
  zone: 'zone',
  'capacity-type': 'capacity type',
  'instance-type': 'instance type',
};

/** @param shares how much of the price the pods requested, by key; a key without a share has a dash */
export function instanceCostText(
  rows: readonly NodeCost[],
  shares: ReadonlyMap<string, number>,
  table: CostTable & { readonly by: CostKey },
): string {
  const usd = rows.reduce((sum, row) => sum + row.usd, 0);
  const nodeHours = rows.reduce((sum, row) => sum + row.nodeHours, 0);
  const columns: readonly CellColumn<NodeCost>[] = [
    { title: TITLES[table.by], align: 'left', cell: ({ key }) => key },
    { title: 'nodes', align: 'right', cell: ({ nodes }) => String(nodes) },
    { title: 'node hours', align: 'right', cell: (row) => row.nodeHours.toFixed(1) },
    { title: '$/h each', align: 'right', cell: (row) => (row.usd / row.nodeHours).toFixed(4) },
    { title: 'cost', align: 'right', cell: (row) => formatUsd(row.usd) },
    { title: 'share', align: 'right', cell: (row) => percent(shareOf(row, usd)) },
    { title: 'requested', align: 'right', cell: ({ key }) => percent(shares.get(key)) },
  ];
  return costText(columns, rows, { ...table, usd, note: `${nodeHours.toFixed(1)} node hours` });
}

/** @param table.title of the first column */
export function podCostText(rows: readonly PodCost[], table: CostTable & { readonly title: string }): string {
  const usd = rows.reduce((sum, row) => sum + row.usd, 0);
  const columns: readonly CellColumn<PodCost>[] = [
    { title: table.title, align: 'left', cell: ({ key }) => key },
    { title: 'cpu hours', align: 'right', cell: (row) => row.cpuHours.toFixed(1) },
    { title: 'GiB hours', align: 'right', cell: (row) => row.memoryGibHours.toFixed(1) },
    { title: 'cost', align: 'right', cell: (row) => formatUsd(row.usd) },
    { title: 'share', align: 'right', cell: (row) => percent(shareOf(row, usd)) },
  ];
  return costText(columns, rows, { ...table, usd, note: 'by what pods requested' });
}

/** *Shape:* undefined of a total of 0. */
function shareOf(row: { readonly usd: number }, usd: number): number | undefined {
  return usd === 0 ? undefined : row.usd / usd;
}

function percent(share: number | undefined): string {
  return share === undefined ? '-' : `${Math.round(share * 100)} %`;
}

function costText<Row>(
  columns: readonly CellColumn<Row>[],
  rows: readonly Row[],
  table: CostTable & { readonly usd: number; readonly note: string },
): string {
  const { fromMs, untilMs, usd, width } = table;
  const hours = Math.max((untilMs - fromMs) / HOUR_MS, MINUTE_MS / HOUR_MS);
  const between = `${formatTime(fromMs)} to ${formatTime(untilMs)}`;
  const { titles, rows: lines, note } = formatTableWithin(columns, rows, width);
  const head = [`${formatUsd(usd)} from ${between}`, `(${formatUsdPerMonth(usd / hours)} at this rate, ${table.note})`];
  const text =
    rows.length === 0 ? [`No instance of Kerf ran from ${between}.`] : [...head, '', titles, ...lines, ...note];
  return text.map((line) => `${printable(line)}\n`).join('');
}
