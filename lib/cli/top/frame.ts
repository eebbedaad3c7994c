import { styleText } from 'node:util';
import { counted } from '../../apis/counted.ts';
import { formatCpu } from '../../apis/formats/quantity.ts';
import { formatTime } from '../../apis/formats/time.ts';
import { formatGib } from '../render/format-gib.ts';
import { formatUsdPerHour, formatUsdPerMonth } from '../render/format-money.ts';
import { printable } from '../render/render-lines.ts';
import { cut, nodeTable, sorted, usage, WIDE } from './node-table.ts';
import { MAX_PLANNED_NODES, type Reasoned, type Share, type TopNode, type TopState } from './top-state.ts';
import { type PricePoint, trendText } from './trend.ts';
import { type Bounds, offsetWithin, type View } from './view.ts';

export interface FrameOptions extends View {
  readonly columns: number;
  /** Lines of the terminal. @default all nodes are shown, without the line of keys */
  readonly rows?: number;
  /** Why the last read failed. @default it did not */
  readonly failure?: string | undefined;
  /** The prices since the start. @default no trend is shown */
  readonly prices?: readonly PricePoint[];
}

export interface Frame {
  /** Without control characters, of at most `columns` characters; exactly `rows` of them, if these are given. */
  readonly lines: readonly string[];
  /** The indexes of lines with titles, for bold text. */
  readonly titles: ReadonlySet<number>;
  readonly bounds: Bounds;
}

/** Lines that nodes leave to each of the two lists below them, even if there are many nodes. */
const MIN_REASONS = 3;
/** The empty lines, titles and last line around nodes and lists. */
const FRAME_LINES = 7;
const KEYS_LINE = 'q quit  s sort  p NodePool  space pause  ? help';
const HELP_LINE = 'arrows PgUp PgDn Home End scroll  s next order  p next NodePool  q quit';

/** The picture of the cluster at one time. Pure: the same state and options give the same lines. */
export function frame(state: TopState, options: FrameOptions): Frame {
  const { columns, rows, sort, pool } = options;
  const nodes = sorted(pool === undefined ? state.nodes : state.nodes.filter((node) => node.pool === pool), sort);
  const head = headLines(state, nodes, options);
  const room = (rows ?? Infinity) - head.length - FRAME_LINES - nodes.length;
  const most = Math.max(MIN_REASONS, Math.floor(room / 2));
  const below = [
    ...(columns >= WIDE ? [] : section('WHY NODES STAY OR GO', state.staying, most)),
    ...(state.nodes.length > MAX_PLANNED_NODES ? ['', TOO_MANY] : []),
    ...section('PENDING PODS', state.pending, most),
    ...(state.latest === undefined ? [] : ['', LATEST, ...state.latest.slice(-LATEST_LINES)]),
  ];
  const page = rows === undefined ? nodes.length : Math.max(1, rows - head.length - below.length - 3);
  const offset = offsetWithin(options.offset, { nodes: nodes.length, page });
  const table = nodeTable(nodes, { columns, atMs: state.atMs });
  const shown = nodes.slice(offset, offset + page).map(table.lineOf);
  const filled = rows === undefined ? shown : [...shown, ...Array.from({ length: page - shown.length }, () => '')];
  const body = [...head, '', table.titles, ...filled, ...below];
  const all =
    rows === undefined ? body : [...body.slice(0, rows - 1), foot(options, { nodes: nodes.length, page, offset })];
  return {
    lines: all.map((line) => cut(printable(line), columns)),
    titles: new Set(all.flatMap((line, at) => (at === 0 || line === table.titles || TITLES.has(line) ? [at] : []))),
    bounds: { pools: state.nodePools, nodes: nodes.length, page },
  };
}

/** The lines as the terminal gets them. */
export function styledLines({ lines, titles }: Frame, color: boolean): readonly string[] {
  if (!color) return lines;
  return lines.map((line, at) => (titles.has(at) ? styleText('bold', line, { validateStream: false }) : line));
}

const LATEST = 'LATEST';
const LATEST_LINES = 4;
const TITLES: ReadonlySet<string> = new Set(['WHY NODES STAY OR GO', 'PENDING PODS', LATEST]);
const TOO_MANY = `more than ${MAX_PLANNED_NODES} nodes: kerf plan disruption shows why they stay`;

function headLines(state: TopState, nodes: readonly TopNode[], options: FrameOptions): readonly string[] {
  const { cluster, pods, usdPerHour, pending, atMs } = state;
  const waiting = pending.reduce((sum, { count }) => sum + count, 0);
  const counts = `${counted(state.nodes.length, 'node')}, ${counted(pods, 'pod')}, ${waiting} pending`;
  const price = `${cluster}: ${counts}, ${formatUsdPerHour(usdPerHour)}${pricedPart(state.nodes)}`;
  const whole = `${price} (${formatUsdPerMonth(usdPerHour)})`;
  const filter = options.pool === undefined ? 'all NodePools' : `NodePool ${options.pool}`;
  return [
    whole.length <= options.columns ? whole : price,
    `${totalText(nodes, 'cpu', options)}  ${totalText(nodes, 'memory', options)}  by ${options.sort}, ${filter}`,
    options.failure === undefined
      ? `${formatTime(atMs)}  ${options.paused ? 'paused: space continues' : nowOf(state, options)}`
      : `${formatTime(atMs)}, not read since: ${options.failure}`,
  ];
}

/** Which nodes the total price is of, if it is not of all: a node that no NodePool has launched has no price here. */
function pricedPart(nodes: readonly TopNode[]): string {
  // Reserved capacity may have the price 0.
  const priced = nodes.filter((one) => one.usdPerHour > 0 || one.capacityType === 'reserved').length;
  return priced === nodes.length ? '' : ` for ${priced} of ${counted(nodes.length, 'node')}`;
}

/** What is in progress, and the trend of the price if there is room. */
function nowOf(state: TopState, { columns, prices = [] }: FrameOptions): string {
  const trend = trendText(prices, columns >= WIDE ? LONG_TREND : SHORT_TREND);
  const room = columns - TIME_WIDTH - state.inProgress.length - 2;
  return trend === '' || trend.length > room ? state.inProgress : `${state.inProgress}  ${trend}`;
}

const SHORT_TREND = 12;
const LONG_TREND = 40;
/** That of `2026-01-31T08:00:00Z` and two spaces. */
const TIME_WIDTH = 22;

/** `cpu ███░░░░░  33%`, and what the pods request if there is room. */
function totalText(nodes: readonly TopNode[], resource: 'cpu' | 'memory', { columns }: FrameOptions): string {
  const share = total(nodes, resource);
  if (columns < WIDE) return `${resource} ${usage(share, 8)}`;
  const amount = resource === 'cpu' ? formatCpu : formatGib;
  return `${resource} ${usage(share, 20)} (${amount(share.requested)} of ${amount(share.allocatable)})`;
}

function total(nodes: readonly TopNode[], resource: 'cpu' | 'memory'): Share {
  return {
    requested: nodes.reduce((sum, node) => sum + node[resource].requested, 0),
    allocatable: nodes.reduce((sum, node) => sum + node[resource].allocatable, 0),
  };
}

function section(title: string, entries: readonly Reasoned[], most: number): readonly string[] {
  if (entries.length === 0) return [];
  const shown = entries.slice(0, entries.length > most ? most - 1 : most);
  const hidden = entries.slice(shown.length).reduce((sum, { count }) => sum + count, 0);
  return [
    '',
    title,
    ...shown.map(({ count, what, why }) => `${String(count).padStart(4)}  ${what === '' ? why : `${what}: ${why}`}`),
    ...(hidden === 0 ? [] : [`${String(hidden).padStart(4)}  for other reasons`]),
  ];
}

function foot({ help }: FrameOptions, at: { nodes: number; page: number; offset: number }): string {
  const { nodes, page, offset } = at;
  const position = nodes > page ? `  nodes ${offset + 1} to ${offset + page} of ${nodes}` : '';
  return help ? HELP_LINE : `${KEYS_LINE}${position}`;
}
