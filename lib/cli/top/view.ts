/** The orders of the nodes. */
export const SORTS = ['price', 'used', 'age', 'name'] as const;
export type Sort = (typeof SORTS)[number];

/** What the person at the terminal has chosen. */
export interface View {
  readonly sort: Sort;
  /** @default the nodes of all NodePools */
  readonly pool?: string | undefined;
  /** The number of nodes above the first one that is shown. */
  readonly offset: number;
  readonly paused: boolean;
  readonly help: boolean;
}

/** What limits the choices. */
export interface Bounds {
  readonly pools: readonly string[];
  /** Nodes of the filter. */
  readonly nodes: number;
  /** Lines for nodes. */
  readonly page: number;
}

type Press = (view: View, bounds: Bounds) => View;

/** The escape sequences are those of terminals in both cursor modes. */
const KEYS: ReadonlyMap<string, Press> = new Map<string, Press>([
  ...keys(['\u001B[A', '\u001BOA', 'k'], (view, bounds) => scrolled(view, bounds, -1)),
  ...keys(['\u001B[B', '\u001BOB', 'j'], (view, bounds) => scrolled(view, bounds, 1)),
  ...keys(['\u001B[5~'], (view, bounds) => scrolled(view, bounds, -bounds.page)),
  ...keys(['\u001B[6~'], (view, bounds) => scrolled(view, bounds, bounds.page)),
  ...keys(['\u001B[H', '\u001B[1~'], (view) => ({ ...view, offset: 0 })),
  ...keys(['\u001B[F', '\u001B[4~'], (view, bounds) => scrolled(view, bounds, bounds.nodes)),
  ...keys(['s'], (view) => ({ ...view, sort: after(SORTS, view.sort) ?? SORTS[0], offset: 0 })),
  ...keys(['p'], (view, { pools }) => ({ ...view, pool: after([undefined, ...pools], view.pool), offset: 0 })),
  ...keys([' '], (view) => ({ ...view, paused: !view.paused })),
  ...keys(['?', 'h'], (view) => ({ ...view, help: !view.help })),
]);

/** The view after a key. *Shape:* the same object for a key without a meaning. */
export function pressed(view: View, key: string, bounds: Bounds): View {
  return KEYS.get(key)?.(view, bounds) ?? view;
}

/** The offset within the nodes, which may have become fewer. */
export function offsetWithin(offset: number, { nodes, page }: Pick<Bounds, 'nodes' | 'page'>): number {
  return Math.max(0, Math.min(offset, nodes - page));
}

function keys(names: readonly string[], press: Press): readonly (readonly [string, Press])[] {
  return names.map((name) => [name, press] as const);
}

function scrolled(view: View, bounds: Bounds, by: number): View {
  return { ...view, offset: offsetWithin(offsetWithin(view.offset, bounds) + by, bounds) };
}

/** The value after this one; the first one after the last. */
function after<Value>(values: readonly Value[], value: Value): Value | undefined {
  return values[(values.indexOf(value) + 1) % values.length];
}
