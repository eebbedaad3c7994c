import { counted } from '../../apis/counted.ts';
import type { FleetNode } from './fleet-facts.ts';
import { escaped, type PALETTES } from './markup.ts';

/** How much of a node is drawn: text and bars; its type and bars; bars. */
type NodeSize = 'card' | 'small' | 'bar';

/** *Units:* pixels. */
export const SIZES: Readonly<
  Record<NodeSize, { readonly width: number; readonly height: number; readonly gap: number }>
> = {
  card: { width: 196, height: 66, gap: 8 },
  small: { width: 94, height: 34, gap: 5 },
  bar: { width: 24, height: 14, gap: 3 },
};

/** The more nodes there are, the less is drawn of each, so that the fleet fits a screen. */
export function sizeFor(nodes: number): NodeSize {
  if (nodes <= 40) return 'card';
  return nodes <= 240 ? 'small' : 'bar';
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly size: NodeSize;
  readonly palette: (typeof PALETTES)['light'];
}

/** A group of SVG with the facts of the node as its title. */
export function drawNode(node: FleetNode, place: Place): string {
  const { x, y, size } = place;
  const { width, height } = SIZES[size];
  const frame = `<rect class="${FRAMES[node.state]}" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="3"/>`;
  const parts = size === 'card' ? cardOf(node) : size === 'small' ? smallOf(node) : [];
  return [
    `<g transform="translate(${x} ${y})"><title>${escaped(factsOf(node))}</title>`,
    frame,
    ...parts,
    ...barsOf(node, place),
    '</g>',
  ].join('');
}

const FRAMES: Readonly<Record<FleetNode['state'], string>> = {
  ready: 'frame',
  starting: 'starting',
  removed: 'removed',
};

function factsOf(node: FleetNode): string {
  const { name, instanceType, capacityType, zone, usdPerHour, state, usage } = node;
  const requested =
    usage === undefined
      ? ['requests not known yet']
      : [
          `cpu ${percentOf(usage.cpuMillicores)} requested`,
          `memory ${percentOf(usage.memoryMib)} requested`,
          counted(usage.pods, 'pod'),
        ];
  return [
    `${name}: ${instanceType} ${capacityType} in ${zone}`,
    `$${usdPerHour.toFixed(4)}/h`,
    ...requested,
    ...(state === 'ready' ? [] : [STATES[state]]),
  ].join(', ');
}

const STATES = { starting: 'starting', removed: 'being removed' } as const;

function cardOf(node: FleetNode): readonly string[] {
  const { instanceType, capacityType, zone, usdPerHour, state, usage } = node;
  const { width } = SIZES.card;
  const pods = usage === undefined ? 'pods not known' : counted(usage.pods, 'pod');
  const what = state === 'ready' ? pods : STATES[state];
  return [
    `<text x="8" y="15">${escaped(instanceType)}</text>`,
    `<text x="${width - 8}" y="15" text-anchor="end">$${usdPerHour.toFixed(4)}/h</text>`,
    `<text class="small" x="8" y="58">${escaped(`${capacityType}, ${zone}`)}</text>`,
    `<text class="small" x="${width - 8}" y="58" text-anchor="end">${escaped(what)}</text>`,
  ];
}

function smallOf({ instanceType }: FleetNode): readonly string[] {
  return [`<text class="small" x="5" y="12">${escaped(instanceType)}</text>`];
}

/** *Units:* pixels. */
const BARS: Readonly<
  Record<NodeSize, { readonly x: number; readonly y: number; readonly height: number; readonly step: number }>
> = {
  card: { x: 8, y: 22, height: 8, step: 12 },
  small: { x: 5, y: 17, height: 5, step: 7 },
  bar: { x: 2, y: 3, height: 3, step: 5 },
};

function barsOf({ usage, capacityType }: FleetNode, { size, palette }: Place): readonly string[] {
  const { x, y, height, step } = BARS[size];
  const width = SIZES[size].width - 2 * x;
  const color = colorOf(capacityType, palette);
  return [usage?.cpuMillicores, usage?.memoryMib].flatMap((amounts, at) => {
    const top = y + at * step;
    const filled = Math.round(width * shareOf(amounts) * 10) / 10;
    return [
      `<rect class="track" x="${x}" y="${top}" width="${width}" height="${height}"/>`,
      ...(filled > 0 ? [`<rect fill="${color}" x="${x}" y="${top}" width="${filled}" height="${height}"/>`] : []),
    ];
  });
}

function colorOf(capacityType: string, { spot, onDemand, reserved }: Place['palette']): string {
  if (capacityType === 'spot') return spot;
  return capacityType === 'reserved' ? reserved : onDemand;
}

function shareOf([requested, allocatable]: readonly [number, number] = [0, 1]): number {
  return Math.min(1, requested / Math.max(allocatable, 1));
}

function percentOf(amounts: readonly [number, number]): string {
  return `${Math.round(shareOf(amounts) * 100)} %`;
}
