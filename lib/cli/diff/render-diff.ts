import { styleText } from 'node:util';
import { counted } from '../../apis/counted.ts';
import { groupByReasons, reasonLines } from '../../core/provisioning/pod-refusals.ts';
import type { CliContext } from '../context.ts';
import { type CellColumn, formatTableWithin } from '../render/format-table.ts';
import { podNames } from '../render/pod-names.ts';
import { andMore, indented, MAX_ROWS, printable } from '../render/render-lines.ts';
import { type Difference, isDifferent } from './compare.ts';
import { figureLines, type NodeLine, nodeLines } from './lines.ts';

const DEFAULT_COLUMNS = 120;

const COLUMNS: readonly CellColumn<NodeLine>[] = [
  { title: '  node', align: 'left', cell: ({ sign, name }) => `${sign} ${name}` },
  { title: 'NodePool', align: 'left', cell: ({ nodePool }) => nodePool, spare: 2 },
  { title: 'type', align: 'left', cell: ({ instanceType }) => instanceType },
  { title: 'capacity', align: 'left', cell: ({ capacityType }) => capacityType },
  { title: 'zone', align: 'left', cell: ({ zone }) => zone, spare: 3 },
  { title: 'by', align: 'left', cell: ({ by }) => by, spare: 1 },
  { title: '$/h', align: 'right', cell: ({ usdPerHour }) => usdPerHour.toFixed(4) },
];

const COLOURS = { '-': 'red', '+': 'green', '~': 'yellow' } as const;

/** Renders the difference: nodes, pods, and the figures before and after. */
export function renderDifference(
  difference: Difference,
  { columns, color }: Pick<CliContext, 'columns' | 'color'>,
): string {
  if (!isDifferent(difference)) return 'No difference: Kerf would do the same with these manifests.\n';
  const width = columns ?? DEFAULT_COLUMNS;
  const lines = [
    ...nodesOf(difference, width),
    ...podsOf(difference, width),
    ...figureLines(difference).flatMap((line) => indented(line, 0, width)),
  ];
  return lines
    .map(printable)
    .map((line) => `${color ? coloured(line) : line}\n`)
    .join('');
}

function nodesOf(difference: Difference, width: number): readonly string[] {
  const nodes = nodeLines(difference);
  if (nodes.length === 0) return [];
  const shown = nodes.slice(0, MAX_ROWS);
  const { titles, rows, note } = formatTableWithin(COLUMNS, shown, width - 2);
  const lines = [titles, ...rows].map((line) => `  ${line}`);
  const more = andMore(nodes.length - shown.length, 'node');
  return ['Nodes', ...lines, ...more, ...note.map((line) => `  ${line}`), ''];
}

function podsOf({ unschedulable, schedulable }: Difference, width: number): readonly string[] {
  if (unschedulable.length + schedulable.length === 0) return [];
  const groups = groupByReasons(unschedulable, ({ reasons }) => reasons).slice(0, MAX_ROWS);
  return [
    'Pods',
    ...groups.flatMap(({ pods, reasons }) => [
      ...indented(`~ ${podNames(pods.map(({ pod }) => pod))}: no place any more`, 2, width),
      ...reasonLines(reasons).flatMap((reason) => indented(reason, 6, width)),
    ]),
    ...(schedulable.length === 0
      ? []
      : indented(`~ ${podNames(schedulable)}: ${counted(schedulable.length, 'pod')} with a place now`, 2, width)),
    '',
  ];
}

function coloured(line: string): string {
  const sign = /^ {2}([-+~]) /.exec(line)?.[1];
  if (sign !== '-' && sign !== '+' && sign !== '~') return line;
  return styleText(COLOURS[sign], line, { validateStream: false });
}
