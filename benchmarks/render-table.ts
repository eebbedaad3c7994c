import type { Growth, Measurement } from './measurement.ts';

export const WIDTH = 100;
const LONGEST_NAME = 27;
const GAP = ' ';

interface Column {
  readonly head: readonly [string, string];
  /** Empty if there is no value. */
  readonly cell: (of: Measurement) => string;
}

const NAME: Column = { head: ['', 'case'], cell: ({ name }) => cut(name) };

const OURS: readonly Column[] = [
  { head: ['', 'pods'], cell: ({ pods }) => String(pods) },
  { head: ['', 'types'], cell: ({ types }) => String(types) },
  { head: ['', 'nodes'], cell: ({ existingNodes }) => String(existingNodes) },
  { head: ['cold', 'ms'], cell: ({ coldMs }) => short(coldMs) },
  { head: ['', 'ms'], cell: ({ ms }) => short(ms) },
  { head: ['', 'pods/s'], cell: ({ podsPerSecond }) => short(podsPerSecond) },
  { head: ['cold', 'MB'], cell: ({ coldPeakMb }) => coldPeakMb.toFixed(0) },
  { head: ['new', 'claims'], cell: ({ newClaims }) => String(newClaims) },
  { head: ['un-', 'placed'], cell: ({ unplaced }) => String(unplaced) },
  { head: ['', '$/h'], cell: ({ usdPerHour }) => usdPerHour.toFixed(2) },
  { head: ['gap', '%'], cell: gapOf },
];

/** The common heading of the three is `Karpenter`. */
const KARPENTERS: readonly Column[] = [
  { head: ['', 'ms'], cell: ({ karpenter }) => (karpenter === undefined ? '' : short(karpenter.ms)) },
  { head: ['', 'ratio'], cell: ({ karpenter }) => (karpenter === undefined ? '' : `${short(karpenter.ratio)}×`) },
  { head: ['', '$/h'], cell: ({ karpenter }) => karpenter?.usdPerHour.toFixed(2) ?? '' },
];

/** The same without the search, where it lowers the price. Their common heading is `without search`. */
const PLAIN: readonly Column[] = [
  { head: ['', 'ms'], cell: ({ withoutSearch }) => (withoutSearch === undefined ? '' : short(withoutSearch.ms)) },
  {
    head: ['', 'cpu'],
    cell: ({ withoutSearch }) => (withoutSearch === undefined ? '' : `${withoutSearch.cpuRatio.toFixed(2)}×`),
  },
  { head: ['', '$/h'], cell: ({ withoutSearch }) => withoutSearch?.usdPerHour.toFixed(2) ?? '' },
  {
    head: ['', 'gap %'],
    cell: ({ withoutSearch, boundUsdPerHour }) =>
      gapOf({ usdPerHour: withoutSearch?.usdPerHour ?? 0, boundUsdPerHour }),
  },
];

/** The measurements as a table. What they are compared with is a second table if one table would be wider than a terminal. */
export function renderTable(measurements: readonly Measurement[]): string {
  const names = blockOf([NAME], measurements);
  const ours = beside(names, blockOf(OURS, measurements));
  const plain = titled('without search', blockOf(PLAIN, measurements));
  const theirs = titled('Karpenter', blockOf(KARPENTERS, measurements));
  const others = [
    ...(measurements.some(({ withoutSearch }) => withoutSearch !== undefined) ? [plain] : []),
    ...(measurements.some(({ karpenter }) => karpenter !== undefined) ? [theirs] : []),
  ];
  if (others.length === 0) return textOf(ours);
  const all = [ours, ...others].reduce(beside);
  return widthOf(all) <= WIDTH ? textOf(all) : `${textOf(ours)}\n\n${textOf([names, ...others].reduce(beside))}`;
}

/** Lines of equal width: two of headings, then one for each measurement. */
type Block = readonly string[];

function blockOf(columns: readonly Column[], measurements: readonly Measurement[]): Block {
  const blocks = columns.map((column): Block => {
    const lines = [...column.head, ...measurements.map(column.cell)];
    const width = widthOf(lines);
    return lines.map((line) => (column === NAME ? line.padEnd(width) : line.padStart(width)));
  });
  return blocks.reduce(beside);
}

function beside(left: Block, right: Block): Block {
  return left.map((line, at) => `${line}${GAP}${right[at] ?? ''}`);
}

function titled(title: string, [, ...below]: Block): Block {
  const width = Math.max(title.length, widthOf(below));
  return [title, ...below].map((line) => line.padStart(width));
}

function widthOf(block: Block): number {
  return Math.max(...block.map((line) => line.length));
}

function textOf(block: Block): string {
  return block.map((line) => line.trimEnd()).join('\n');
}

/** One line for each kind: `diverse: 20000 pods take 4.1× as long as 5000`. */
export function renderGrowth(growth: readonly Growth[]): string {
  return growth
    .map(({ kind, fromPods, toPods, times }) => `${kind}: ${toPods} pods take ${short(times)}× as long as ${fromPods}`)
    .join('\n');
}

/** How far the price is above its lower bound. */
function gapOf({ usdPerHour, boundUsdPerHour }: Pick<Measurement, 'usdPerHour' | 'boundUsdPerHour'>): string {
  return boundUsdPerHour > 0 && usdPerHour > 0
    ? (Math.round(1_000 * (usdPerHour / boundUsdPerHour - 1)) / 10 + 0).toFixed(1)
    : '';
}

/** Three digits, or an integer: `0.42`, `4.2`, `42`, `4213`. */
function short(value: number): string {
  if (value >= 10) return value.toFixed(0);
  return value.toFixed(value >= 1 ? 1 : 2);
}

function cut(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name;
}
