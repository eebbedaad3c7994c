import { counted } from '../../apis/counted.ts';
import { formatDuration } from '../../apis/formats/duration.ts';
import { formatExactTime, timeIn } from '../../apis/formats/time.ts';
import { optional } from '../../apis/optional.ts';
import {
  type ClusterStatus,
  type DeploymentStatus,
  type FunctionStatus,
  isHealthy,
  shortAge,
} from '../../core/status/deployment-status.ts';
import { MARK_PAUSE_MS } from '../../core/status/function-mark.ts';
import type { CliContext } from '../context.ts';
import { type CellColumn, formatTableWithin } from '../render/format-table.ts';
import { indented, printable } from '../render/render-lines.ts';

const DEFAULT_COLUMNS = 80;
/** The column of the values. */
const START = 16;

/** A table of the clusters, what is wrong, and the details of each cluster that is not healthy or alone. */
export function renderStatus(status: DeploymentStatus, { columns }: Pick<CliContext, 'columns'>): string {
  const width = columns ?? DEFAULT_COLUMNS;
  const { clusters, atMs, wrong } = status;
  const wrongs = [...clusters.flatMap((one) => one.wrong.map((text) => `${one.cluster}: ${text}`)), ...wrong];
  const detailed = clusters.length === 1 ? clusters : clusters.filter((one) => one.wrong.length > 0);
  const lines = [
    ...(clusters.length === 1 ? [] : [...clusterTable(status, width), '']),
    ...detailed.flatMap((one) => [...clusterLines(one, { atMs, width }), '']),
    ...deploymentLines(status, width),
    ...(isHealthy(status)
      ? [status.unread.length === 0 ? 'Healthy: nothing is wrong.' : 'Healthy as far as it was read: see "not read".']
      : [`${counted(wrongs.length, 'thing is', 'things are')} wrong:`, ...wrongs.flatMap((text) => item(text, width))]),
  ];
  return lines.map((line) => `${printable(line)}\n`).join('');
}

function item(text: string, width: number): readonly string[] {
  const [first = '', ...more] = indented(text, 4, width);
  return [`  - ${first.trimStart()}`, ...more];
}

function clusterTable({ clusters, atMs }: DeploymentStatus, width: number): readonly string[] {
  const table: readonly CellColumn<ClusterStatus>[] = [
    { title: 'cluster', align: 'left', cell: ({ cluster }) => cluster },
    { title: 'state', align: 'left', cell: ({ wrong }) => (wrong.length === 0 ? 'healthy' : 'wrong') },
    { title: 'mode', align: 'left', cell: ({ mode }) => mode },
    { title: 'oldest run', align: 'right', cell: ({ functions }) => oldestRun(functions, atMs) },
    { title: 'nodes', align: 'right', cell: ({ gauges }) => gauges['Nodes']?.toString() ?? '' },
    { title: 'pending', align: 'right', cell: ({ gauges }) => gauges['PendingPods']?.toString() ?? '' },
    { title: '$/h', align: 'right', cell: ({ gauges }) => gauges['HourlyCostUsd']?.toFixed(4) ?? '' },
    { title: 'open', align: 'right', cell: ({ openDecisions }) => openDecisions?.toString() ?? '', spare: 1 },
    { title: 'problems', align: 'right', cell: ({ problems }) => String(problems.length), spare: 2 },
  ];
  const { titles, rows, note } = formatTableWithin(table, clusters, width);
  return [titles, ...rows, ...note];
}

function oldestRun(functions: readonly FunctionStatus[], atMs: number): string {
  const times = functions.map(({ lastRunMs }) => lastRunMs);
  return times.some((ms) => ms === undefined)
    ? 'never'
    : `${shortAge(atMs - Math.min(...times.map((ms) => ms ?? 0)))} ago`;
}

interface Shown {
  readonly atMs: number;
  readonly width: number;
}

function clusterLines(one: ClusterStatus, { atMs, width }: Shown): readonly string[] {
  const { cluster, version, mode, functions, webhook, problems, openDecisions, commands } = one;
  const open = [
    ...(openDecisions === undefined ? [] : [counted(openDecisions, 'decision')]),
    ...(commands === undefined ? [] : [counted(commands, 'disruption command')]),
  ];
  const rows: readonly (readonly [string, string])[] = [
    ['mode', version === undefined ? mode : `${mode}, Kerf ${version}`],
    ...functions.map((each) => [each.function, lastLook(each, atMs)] as const),
    ...(open.length === 0 ? [] : [['open', open.join(', ')] as const]),
    ['webhook', webhook],
    ['fleet', fleetOf(one)],
    ['problems', problems.length === 0 ? 'none' : problems.map(({ kind }) => kind).join(', ')],
  ];
  return [`Cluster ${cluster}`, ...rows.flatMap((row) => valueLines(row, width))];
}

function valueLines([name, value]: readonly [string, string], width: number): readonly string[] {
  const [first = '', ...more] = indented(value, START, width);
  return [`  ${name.padEnd(START - 2)}${first.trimStart()}`, ...more];
}

function lastLook({ lastRunMs, isLate, failures }: FunctionStatus, atMs: number): string {
  if (lastRunMs === undefined) return 'no run yet';
  const known = ` (recorded every ${formatDuration(MARK_PAUSE_MS)})`;
  const failed = failures === undefined ? '' : `, ${counted(failures, 'failure')}`;
  return `last run ${shortAge(atMs - lastRunMs)} ago${isLate ? ': too long' : known}${failed}`;
}

function fleetOf({ gauges }: ClusterStatus): string {
  const { Nodes: nodes, HourlyCostUsd: usd, PendingPods: pending } = gauges;
  const parts = [
    ...(nodes === undefined ? [] : [counted(nodes, 'node')]),
    ...(usd === undefined ? [] : [`$${usd.toFixed(4)}/h`]),
    ...(pending === undefined ? [] : [`${counted(pending, 'pod')} pending`]),
  ];
  return parts.length === 0 ? 'not known' : parts.join(', ');
}

function deploymentLines(
  { leftOut, deadLetters, prices, unread, atMs }: DeploymentStatus,
  width: number,
): readonly string[] {
  const dead = deadLetters?.reduce((sum, { messages }) => sum + messages, 0);
  const age = (asOf: string | undefined, instead: string): string =>
    asOf === undefined ? `never read (${instead} prices are used)` : `${shortAge(atMs - (timeIn(asOf) ?? 0))} old`;
  const rows: readonly (readonly [string, string])[] = [
    ...leftOut.map(({ cluster, lastRunMs }) => {
      const ago = shortAge(atMs - lastRunMs);
      return ['left out', `${cluster}: its last run was ${ago} ago. Show it with --cluster ${cluster}`] as const;
    }),
    ...(dead === undefined ? [] : [['dead letters', dead === 0 ? 'none' : String(dead)] as const]),
    ...(prices === undefined || prices === 'none'
      ? []
      : [
          [
            'prices',
            `on-demand ${age(prices.onDemandAsOf, 'shipped')}, spot ${age(prices.spotAsOf, 'on-demand')}`,
          ] as const,
        ]),
    ...unread.map((text) => ['not read', text] as const),
  ];
  return rows.length === 0 ? [] : ['Deployment', ...rows.flatMap((row) => valueLines(row, width)), ''];
}

/** What `--output json` prints. */
export function statusOutput(status: DeploymentStatus): object {
  const { atMs, clusters, leftOut, wrong, deadLetters, prices, unread } = status;
  return {
    formatVersion: 1,
    at: formatExactTime(atMs),
    healthy: isHealthy(status),
    wrong,
    clusters: clusters.map(({ functions, gauges, ...one }) => ({
      ...one,
      healthy: one.wrong.length === 0,
      functions: functions.map(({ function: name, lastRunMs, isLate, failures = 0 }) => ({
        function: name,
        ...(lastRunMs !== undefined && { lastRunAt: formatExactTime(lastRunMs) }),
        late: isLate,
        failures,
      })),
      ...optional({
        nodes: gauges['Nodes'],
        pendingPods: gauges['PendingPods'],
        usdPerHour: gauges['HourlyCostUsd'],
      }),
    })),
    leftOut: leftOut.map(({ cluster, lastRunMs }) => ({ cluster, lastRunAt: formatExactTime(lastRunMs) })),
    ...optional({ deadLetters, prices }),
    unread,
  };
}
