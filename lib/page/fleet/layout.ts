import type { FleetNode } from './frame.ts';

/** How much of a node is drawn: text and two bars; the type and two bars; two bars. */
export type TileSize = 'card' | 'small' | 'bar';

export interface Tile {
  readonly node: FleetNode;
  readonly x: number;
  readonly y: number;
}

/** The nodes of one NodePool. *Units:* pixels; `y` is the top of its title. */
export interface PoolBand {
  readonly pool: string;
  readonly y: number;
  readonly nodes: readonly FleetNode[];
  readonly tiles: readonly Tile[];
}

export interface FleetLayout {
  readonly bands: readonly PoolBand[];
  readonly columns: number;
  readonly height: number;
}

interface Measures {
  readonly width: number;
  readonly height: number;
  readonly gap: number;
}

export const TILES: Readonly<Record<TileSize, Measures>> = {
  card: { width: 164, height: 66, gap: 8 },
  small: { width: 92, height: 34, gap: 5 },
  bar: { width: 24, height: 12, gap: 3 },
};

const TITLE_PX = 26;
const BAND_GAP_PX = 12;

/** With more nodes at one time, tiles are smaller, so that the fleet fits a screen. */
export function tileSizeFor(nodes: number): TileSize {
  if (nodes <= 40) return 'card';
  return nodes <= 240 ? 'small' : 'bar';
}

/** Places the nodes by NodePool, then in the order of their launches. */
export function layoutFleet(nodes: Iterable<FleetNode>, size: TileSize, widthPx: number): FleetLayout {
  const { width, height, gap } = TILES[size];
  const columns = Math.max(1, Math.floor((widthPx + gap) / (width + gap)));
  const pools = byPool(nodes);
  let top = 0;
  const bands = pools.map(([pool, those]): PoolBand => {
    const y = top;
    const tiles = those.map((node, place) => ({
      node,
      x: (place % columns) * (width + gap),
      y: y + TITLE_PX + Math.floor(place / columns) * (height + gap),
    }));
    top += TITLE_PX + Math.ceil(those.length / columns) * (height + gap) + BAND_GAP_PX;
    return { pool, y, nodes: those, tiles };
  });
  return { bands, columns, height: Math.max(0, top - BAND_GAP_PX) };
}

function byPool(nodes: Iterable<FleetNode>): readonly (readonly [string, readonly FleetNode[]])[] {
  const pools = new Map<string, FleetNode[]>();
  for (const node of nodes) {
    const those = pools.get(node.pool);
    if (those === undefined) pools.set(node.pool, [node]);
    else those.push(node);
  }
  for (const those of pools.values()) those.sort((a, b) => a.launchedAt - b.launchedAt || order(a.id, b.id));
  return [...pools].toSorted(([a], [b]) => order(a, b));
}

/** The tile at a point of the picture. */
export function tileAt(
  { bands }: FleetLayout,
  size: TileSize,
  point: { readonly x: number; readonly y: number },
): Tile | undefined {
  const { width, height } = TILES[size];
  const band = bands.findLast(({ y }) => y <= point.y);
  return band?.tiles.find(({ x, y }) => point.x >= x && point.x < x + width && point.y >= y && point.y < y + height);
}

function order(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
