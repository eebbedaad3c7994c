import { formatDollars, shareOf } from '../fleet/format.ts';
import type { FleetNode } from '../fleet/frame.ts';
import { type FleetLayout, TILES, type Tile, type TileSize } from '../fleet/layout.ts';
import { prepared } from './dom.ts';
import { type Theme, theme } from './theme.ts';

const FONT = 'system-ui, sans-serif';
const EMPTY_PX = 120;

interface Picture {
  readonly layout: FleetLayout;
  readonly size: TileSize;
  /** The id of the selected node. */
  readonly selected: string | undefined;
}

/** Draws each node as a tile: its requests as bars over what it has. */
export function drawFleet(canvas: HTMLCanvasElement, { layout, size, selected }: Picture): void {
  const ready = prepared(canvas, Math.max(EMPTY_PX, layout.height));
  if (ready === undefined) return;
  const { pen, width } = ready;
  const colours = theme();
  if (layout.bands.length === 0) {
    pen.fillStyle = colours.muted;
    pen.font = `14px ${FONT}`;
    pen.textAlign = 'center';
    pen.fillText('No nodes', width / 2, EMPTY_PX / 2);
    pen.textAlign = 'left';
    return;
  }
  for (const band of layout.bands) {
    const cost = band.nodes.reduce((sum, { usdPerHour }) => sum + usdPerHour, 0);
    pen.fillStyle = colours.text;
    pen.font = `600 13px ${FONT}`;
    const title = band.pool === '' ? '(no NodePool)' : band.pool;
    pen.fillText(title, 0, band.y + 15, width / 2);
    const after = Math.min(width / 2, pen.measureText(title).width) + 10;
    pen.fillStyle = colours.muted;
    pen.font = `13px ${FONT}`;
    const count = `${band.nodes.length} ${band.nodes.length === 1 ? 'node' : 'nodes'}, ${formatDollars(cost)}/h`;
    pen.fillText(count, after, band.y + 15);
    for (const tile of band.tiles) drawTile({ pen, colours, size }, tile, tile.node.id === selected);
  }
}

interface Brush {
  readonly pen: CanvasRenderingContext2D;
  readonly colours: Theme;
  readonly size: TileSize;
}

function drawTile(brush: Brush, { node, x, y }: Tile, isSelected: boolean): void {
  const { pen, colours, size } = brush;
  const { width, height } = TILES[size];
  const capacity = colours.capacity(node.capacityType);
  pen.fillStyle = colours.raised;
  box(pen, { x, y, width, height, radius: size === 'bar' ? 2 : 6 });
  pen.fill();
  if (size === 'card') drawCard(brush, node, { x, y, width });
  if (size === 'small') drawSmall(brush, node, { x, y, width });
  if (size === 'bar') drawBars(brush, node, { x: x + 2, y: y + 2, width: width - 4, height: 3, step: 5 });
  if (size !== 'bar') {
    pen.fillStyle = capacity;
    pen.fillRect(x, y + 6, 4, height - 12);
  }
  drawFrame(brush, node, { x, y, isSelected });
}

/** The outline tells the state: dashed while it starts, red while it leaves, filled red if it is lost. */
function drawFrame(
  { pen, colours, size }: Brush,
  node: FleetNode,
  { x, y, isSelected }: { readonly x: number; readonly y: number; readonly isSelected: boolean },
): void {
  const { width, height } = TILES[size];
  const radius = size === 'bar' ? 2 : 6;
  const isEnding = node.state === 'leaving' || node.state === 'lost';
  if (node.state === 'lost') {
    pen.globalAlpha = 0.35;
    pen.fillStyle = colours.bad;
    box(pen, { x, y, width, height, radius });
    pen.fill();
    pen.globalAlpha = 1;
  }
  pen.lineWidth = isEnding ? 1.5 : 1;
  pen.setLineDash(node.state === 'starting' ? [3, 3] : []);
  pen.strokeStyle = isEnding ? colours.bad : node.state === 'starting' ? colours.muted : colours.line;
  box(pen, { x: x + 0.5, y: y + 0.5, width: width - 1, height: height - 1, radius });
  pen.stroke();
  pen.setLineDash([]);
  if (!isSelected) return;
  pen.lineWidth = 3;
  pen.strokeStyle = colours.focus;
  box(pen, { x: x - 1, y: y - 1, width: width + 2, height: height + 2, radius: radius + 1 });
  pen.stroke();
}

type Corner = { readonly x: number; readonly y: number; readonly width: number };

function drawCard(brush: Brush, node: FleetNode, { x, y, width }: Corner): void {
  const { pen, colours } = brush;
  pen.font = `11px ${FONT}`;
  pen.fillStyle = colours.muted;
  pen.textAlign = 'right';
  const price = `${formatDollars(node.usdPerHour)}/h`;
  pen.fillText(price, x + width - 8, y + 16);
  const room = width - 26 - pen.measureText(price).width;
  pen.textAlign = 'left';
  pen.fillStyle = node.state === 'leaving' || node.state === 'lost' ? colours.bad : colours.muted;
  pen.fillText(stateText(node), x + 12, y + 32, width - 20);
  pen.font = `600 12px ${FONT}`;
  pen.fillStyle = colours.text;
  pen.fillText(node.type, x + 12, y + 16, room);
  pen.font = `9px ${FONT}`;
  pen.fillStyle = colours.muted;
  pen.fillText('cpu', x + 12, y + 46);
  pen.fillText('mem', x + 12, y + 58);
  drawBars(brush, node, { x: x + 36, y: y + 40, width: width - 44, height: 6, step: 12 });
}

function drawSmall(brush: Brush, node: FleetNode, { x, y, width }: Corner): void {
  const { pen, colours } = brush;
  pen.font = `11px ${FONT}`;
  pen.fillStyle = node.state === 'leaving' || node.state === 'lost' ? colours.bad : colours.text;
  pen.fillText(node.type, x + 9, y + 14, width - 14);
  drawBars(brush, node, { x: x + 9, y: y + 19, width: width - 15, height: 4, step: 6 });
}

function stateText({ state, zone, capacityType, why }: FleetNode): string {
  if (state === 'leaving') return `leaving: ${why}`;
  if (state === 'lost') return 'kubelet does not report';
  return `${zone} ${capacityType}${state === 'starting' ? ', starting' : ''}`;
}

interface Bars extends Corner {
  readonly height: number;
  readonly step: number;
}

/** The requests of cpu, and below of memory. */
function drawBars({ pen, colours }: Brush, node: FleetNode, { x, y, width, height, step }: Bars): void {
  const shares = [shareOf(node.cpuRequested, node.cpu), shareOf(node.memoryRequested, node.memory)];
  shares.forEach((share, row) => {
    pen.fillStyle = colours.track;
    pen.fillRect(x, y + row * step, width, height);
    pen.globalAlpha = node.state === 'leaving' ? 0.5 : 1;
    pen.fillStyle = colours.capacity(node.capacityType);
    pen.fillRect(x, y + row * step, width * Math.min(1, share), height);
    pen.globalAlpha = 1;
  });
}

function box(
  pen: CanvasRenderingContext2D,
  { x, y, width, height, radius }: Corner & { readonly height: number; readonly radius: number },
): void {
  pen.beginPath();
  pen.roundRect(x, y, width, height, radius);
}
