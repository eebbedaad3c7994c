import { shortAge } from '../../core/status/deployment-status.ts';
import { shareOf } from '../../page/fleet/format.ts';
import type { Share, TopNode } from './top-state.ts';
import type { Sort } from './view.ts';

interface Column {
  readonly title: string;
  readonly align: 'left' | 'right';
  readonly cell: (node: TopNode) => string;
}

/** From this width on, there is room for why each node stays, longer bars and whole zones. */
export const WIDE = 120;
const MAX_NAME = 19;
const MAX_TYPE = 16;
const SHORT_BAR = 4;
const LONG_BAR = 10;

/** The titles and the lines of nodes, in columns as wide as all nodes need, so that they do not move when one scrolls. */
export function nodeTable(
  nodes: readonly TopNode[],
  { columns, atMs }: { readonly columns: number; readonly atMs: number },
): { readonly titles: string; readonly lineOf: (node: TopNode) => string } {
  const isWide = columns >= WIDE;
  const widthsOf = (all: readonly Column[]): readonly number[] =>
    all.map(({ title, cell }) => nodes.reduce((most, node) => Math.max(most, cell(node).length), title.length));
  const shortest = columnsOf(isWide, atMs, isWide ? LONG_BAR : SHORT_BAR);
  const used = widthsOf(shortest).reduce((sum, width) => sum + width + 1, -1);
  const room = isWide ? 0 : Math.floor((columns - used) / 2);
  const cells = room <= 0 ? shortest : columnsOf(isWide, atMs, Math.min(SHORT_BAR + room, LONG_BAR));
  const widths = widthsOf(cells);
  const line = (textOf: (column: Column) => string): string =>
    cells
      .map((column, at) => {
        const width = widths[at] ?? 0;
        return column.align === 'left' ? textOf(column).padEnd(width) : textOf(column).padStart(width);
      })
      .join(isWide ? '  ' : ' ')
      .trimEnd();
  return { titles: line(({ title }) => title), lineOf: (node) => line(({ cell }) => cell(node)) };
}

function columnsOf(isWide: boolean, atMs: number, bars: number): readonly Column[] {
  const all: readonly Column[] = [
    { title: 'NODE', align: 'left', cell: ({ name }) => cut(shortName(name), isWide ? 2 * MAX_NAME : MAX_NAME) },
    ...(isWide ? [{ title: 'NODEPOOL', align: 'left', cell: ({ pool }: TopNode) => pool || '-' } as const] : []),
    { title: 'CPU', align: 'left', cell: ({ cpu }) => usage(cpu, bars) },
    { title: 'MEMORY', align: 'left', cell: ({ memory }) => usage(memory, bars) },
    { title: 'TYPE', align: 'left', cell: ({ instanceType }) => cut(instanceType || '-', MAX_TYPE) },
    { title: 'ZONE', align: 'left', cell: ({ zone }) => (isWide ? zone : zone.replace(/^.*-/, '')) || '-' },
    { title: 'CAPACITY', align: 'left', cell: ({ capacityType }) => capacityType || '-' },
    { title: '$/H', align: 'right', cell: ({ usdPerHour }) => (usdPerHour === 0 ? '-' : usdPerHour.toFixed(4)) },
    { title: 'AGE', align: 'right', cell: ({ sinceMs }) => (sinceMs === undefined ? '-' : shortAge(atMs - sinceMs)) },
  ];
  return isWide ? [...all, { title: 'WHY IT STAYS OR GOES', align: 'left', cell: ({ why }) => why }] : all;
}

/** `███░ 75%`. A share above 100% is shown as it is. */
export function usage({ requested, allocatable }: Share, length: number): string {
  const share = shareOf(requested, allocatable);
  const full = Math.min(length, Math.round(share * length));
  return `${'█'.repeat(full)}${'░'.repeat(length - full)} ${`${Math.round(share * 100)}%`.padStart(4)}`;
}

/** The domain of the names that EC2 gives is the same for all nodes of a region. */
function shortName(name: string): string {
  return name.replace(/\.(?:ec2|[a-z0-9-]+\.compute)\.internal$/, '');
}

/** The text in this many characters. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, Math.max(0, length - 1))}…`;
}

/** The nodes in the order that the view asks for: the largest, the fullest or the oldest first. */
export function sorted(nodes: readonly TopNode[], sort: Sort): readonly TopNode[] {
  if (sort === 'name') return nodes.toSorted(byName);
  const key = KEYS[sort];
  return nodes.toSorted((a, b) => key(b) - key(a) || byName(a, b));
}

const byName = (a: TopNode, b: TopNode): number => a.name.localeCompare(b.name, 'en', { numeric: true });

const KEYS: Readonly<Record<Exclude<Sort, 'name'>, (node: TopNode) => number>> = {
  price: ({ usdPerHour }) => usdPerHour,
  used: ({ cpu, memory }) =>
    Math.max(shareOf(cpu.requested, cpu.allocatable), shareOf(memory.requested, memory.allocatable)),
  age: ({ sinceMs }) => -(sinceMs ?? Number.MAX_SAFE_INTEGER),
};
