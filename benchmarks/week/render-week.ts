import { MODES } from './modes.ts';
import type { MeasuredWeek } from './run-week.ts';

/** The largest share of the cost under Karpenter's rules that is allowed, with no more evictions. */
const TARGET = 0.85;

interface Column {
  readonly head: readonly [string, string];
  readonly cell: (of: MeasuredWeek) => string;
}

const COLUMNS: readonly Column[] = [
  { head: ['', 'cost $'], cell: ({ usd }) => usd.toFixed(0) },
  { head: ['', 'evictions'], cell: ({ evictions }) => String(evictions) },
  { head: ['a pod', 'and day'], cell: ({ evictions, podDays }) => (evictions / podDays).toFixed(2) },
  { head: ['mean', 'nodes'], cell: ({ meanNodes }) => meanNodes.toFixed(1) },
  { head: ['', 'launches'], cell: ({ launched }) => String(launched) },
  { head: ['cpu', 'used'], cell: ({ cpuShare }) => `${(cpuShare * 100).toFixed(0)} %` },
  { head: ['wait s', 'p50'], cell: ({ waits }) => waits.p50.toFixed(0) },
  { head: ['wait s', 'p99'], cell: ({ waits }) => waits.p99.toFixed(0) },
];

/** The figures as a table of at most 80 columns, and how Kerf compares with the target. */
export function renderWeek(weeks: readonly MeasuredWeek[]): string {
  const names = ['', 'rules', ...weeks.map(titleOf)];
  const width = Math.max(...names.map(({ length }) => length));
  const columns = COLUMNS.map(({ head, cell }) => {
    const cells = [...head, ...weeks.map(cell)];
    const most = Math.max(...cells.map(({ length }) => length));
    return cells.map((text) => text.padStart(most));
  });
  const lines = names.map((name, at) =>
    [name.padEnd(width), ...columns.map((column) => column[at] ?? '')].join(' ').trimEnd(),
  );
  return [...lines, ...verdict(weeks)].join('\n');
}

export function titleOf({ mode }: MeasuredWeek): string {
  return MODES.find(({ name }) => name === mode)?.title ?? mode;
}

function verdict(weeks: readonly MeasuredWeek[]): readonly string[] {
  const kerf = weeks.find(({ mode }) => mode === 'kerf');
  const karpenter = weeks.find(({ mode }) => mode === 'karpenter');
  if (kerf === undefined || karpenter === undefined) return [];
  const cost = kerf.usd / karpenter.usd;
  const isMet = cost <= TARGET && kerf.evictions <= karpenter.evictions;
  const evictions = (kerf.evictions / karpenter.evictions).toFixed(2);
  const bound = (karpenter.boundUsd / karpenter.usd).toFixed(3);
  return [
    '',
    `Kerf has ${cost.toFixed(3)} of the cost and ${evictions} of the evictions under Karpenter's rules:`,
    `the target, ${TARGET} of the cost with no more evictions, is ${isMet ? 'met' : 'missed'}.`,
    `Any fleet for these pods has at least ${bound} of the cost: the lower bound.`,
  ];
}
