import { formatExactTime, formatTime } from '../../apis/formats/time.ts';
import { costByKey, type NodeCost, type NodeSpan, nodeSpans } from '../../core/decisions/node-hours.ts';
import type { CliContext } from '../context.ts';
import { openHistory, recordsOfPeriod } from '../decisions/history.ts';
import { EXIT } from '../exit-codes.ts';
import { formatUsd, formatUsdPerMonth } from '../render/format-money.ts';
import { type CellColumn, formatTableWithin } from '../render/format-table.ts';
import { printable } from '../render/render-lines.ts';
import type { CostFlags, CostKey } from './cost-command.ts';

const DEFAULT_COLUMNS = 120;

const KEY_OF: Readonly<Record<CostKey, { readonly title: string; readonly of: (span: NodeSpan) => string }>> = {
  pool: { title: 'NodePool', of: ({ nodePool }) => nodePool },
  zone: { title: 'zone', of: ({ zone }) => zone },
  'capacity-type': { title: 'capacity type', of: ({ capacityType }) => capacityType },
  'instance-type': { title: 'instance type', of: ({ instanceType }) => instanceType },
};

interface Period {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Runs `kerf cost`. *Errors:* BadInputError if the records cannot be found. */
export async function runCost(context: CliContext, flags: CostFlags): Promise<void> {
  const history = await openHistory(flags);
  const { records, period } = await recordsOfPeriod(history, flags, flags.since);
  const spans = nodeSpans(records, await history.running());
  const rows = costByKey(spans, KEY_OF[flags.by].of, period);
  const { stdout } = context.process;
  if (flags.output === 'json') {
    const rounded = rows.map((row) => ({ ...row, nodeHours: rounded4(row.nodeHours), usd: rounded4(row.usd) }));
    const total = { usd: rounded4(totalOf(rows, 'usd')), nodeHours: rounded4(totalOf(rows, 'nodeHours')) };
    const times = { from: formatExactTime(period.fromMs), until: formatExactTime(period.untilMs) };
    stdout.write(
      `${JSON.stringify({ formatVersion: 1, cluster: history.cluster, ...times, by: flags.by, rows: rounded, total }, null, 2)}\n`,
    );
  } else stdout.write(costText(rows, { ...period, by: flags.by, width: context.columns ?? DEFAULT_COLUMNS }));
  context.process.exitCode = EXIT.fine;
}

function rounded4(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}

function totalOf(rows: readonly NodeCost[], field: 'usd' | 'nodeHours'): number {
  return rows.reduce((sum, row) => sum + row[field], 0);
}

function costText(
  rows: readonly NodeCost[],
  { fromMs, untilMs, by, width }: Period & { readonly by: CostKey; readonly width: number },
): string {
  const usd = totalOf(rows, 'usd');
  const hours = Math.max((untilMs - fromMs) / 3_600_000, 1 / 60);
  const columns: readonly CellColumn<NodeCost>[] = [
    { title: KEY_OF[by].title, align: 'left', cell: ({ key }) => key },
    { title: 'nodes', align: 'right', cell: ({ nodes }) => String(nodes) },
    { title: 'node hours', align: 'right', cell: ({ nodeHours }) => nodeHours.toFixed(1) },
    { title: '$/h each', align: 'right', cell: (row) => (row.usd / row.nodeHours).toFixed(4) },
    { title: 'cost', align: 'right', cell: (row) => formatUsd(row.usd) },
    { title: 'share', align: 'right', cell: (row) => `${Math.round((row.usd / usd) * 100)} %` },
  ];
  const { titles, rows: lines, note } = formatTableWithin(columns, rows, width);
  const between = `${formatTime(fromMs)} to ${formatTime(untilMs)}`;
  const text =
    rows.length === 0
      ? [`No instance of Kerf ran from ${between}.`]
      : [
          `${formatUsd(usd)} from ${between}`,
          `(${formatUsdPerMonth(usd / hours)} at this rate, ${totalOf(rows, 'nodeHours').toFixed(1)} node hours)`,
          '',
          titles,
          ...lines,
          ...note,
        ];
  return text.map((line) => `${printable(line)}\n`).join('');
}
