import { counted } from '../../apis/counted.ts';
import { formatTime } from '../../apis/formats/time.ts';
import type { FleetNode } from './fleet-facts.ts';
import { drawNode, SIZES, sizeFor } from './fleet-node.ts';
import { escaped, notice, PALETTES, type Theme, widget } from './markup.ts';

export interface FleetPicture {
  readonly theme: Theme;
  readonly widthPx: number;
  /** When it was last seen what pods request. @default never */
  readonly seenMs?: number;
}

const HOURS_A_MONTH = 730;
const TITLE_PX = 22;
const BAND_GAP_PX = 10;

/** The fleet as a picture: by NodePool, each node with two bars, the requested cpu and memory over what is allocatable. */
export function fleetWidget(nodes: readonly FleetNode[], picture: FleetPicture): string {
  const { theme, widthPx, seenMs } = picture;
  if (nodes.length === 0) return notice(theme, 'The cluster has no nodes of Kerf.');
  const size = sizeFor(nodes.length);
  const { width, height, gap } = SIZES[size];
  const columns = Math.max(1, Math.floor((widthPx + gap) / (width + gap)));
  let top = 0;
  const bands = [...Map.groupBy(nodes, ({ nodePool }) => nodePool)].map(([pool, members]) => {
    const tiles = members.map((node, at) => {
      const x = (at % columns) * (width + gap);
      const y = top + TITLE_PX + Math.floor(at / columns) * (height + gap);
      return drawNode(node, { x, y, size, palette: PALETTES[theme] });
    });
    const title = `<text class="pool" x="0" y="${top + 14}">${escaped(`${pool}: ${sumOf(members)}`)}</text>`;
    top += TITLE_PX + Math.ceil(members.length / columns) * (height + gap) + BAND_GAP_PX;
    return [title, ...tiles].join('');
  });
  const heightPx = top - BAND_GAP_PX;
  const label = `${counted(nodes.length, 'node')} by NodePool`;
  return widget(
    theme,
    [
      `<p><strong>${escaped(sumOf(nodes))}</strong> <span class="muted">${escaped(requestedOf(nodes, seenMs))}</span></p>`,
      `<p class="muted">${legend(theme)}</p>`,
      `<svg role="img" aria-label="${label}" width="${widthPx}" height="${heightPx}" viewBox="0 0 ${widthPx} ${heightPx}">`,
      ...bands,
      '</svg>',
    ],
    stylesOf(theme),
  );
}

function sumOf(nodes: readonly FleetNode[]): string {
  const usd = nodes.reduce((sum, one) => sum + one.usdPerHour, 0);
  return `${counted(nodes.length, 'node')}, $${usd.toFixed(usd < 10 ? 4 : 2)}/h, about $${Math.round(usd * HOURS_A_MONTH)} a month`;
}

function requestedOf(nodes: readonly FleetNode[], seenMs: number | undefined): string {
  const seen = nodes.flatMap(({ usage, usdPerHour }) => (usage === undefined ? [] : [{ usage, usdPerHour }]));
  const paid = seen.reduce((sum, { usdPerHour }) => sum + usdPerHour, 0);
  if (seenMs === undefined || paid === 0) return 'What pods request is not known yet.';
  const requested = seen.reduce((sum, { usage }) => sum + usage.requestedUsdPerHour, 0);
  const share = `Pods request ${Math.round((requested / paid) * 100)} % of the price`;
  return `${share}, seen at ${formatTime(seenMs).slice(11, 16)} UTC.`;
}

function legend(theme: Theme): string {
  const { spot, onDemand, reserved } = PALETTES[theme];
  return [
    mark(onDemand, 'on-demand'),
    mark(spot, 'spot'),
    mark(reserved, 'reserved'),
    'upper bar: cpu, lower bar: memory, requested over allocatable',
    'dashed: starting or being removed',
  ].join(' &nbsp; ');
}

function mark(color: string, text: string): string {
  return `<svg width="10" height="10" aria-hidden="true"><rect width="10" height="10" fill="${color}"/></svg> ${text}`;
}

function stylesOf(theme: Theme): readonly string[] {
  const { text, muted, track, line, bad } = PALETTES[theme];
  return [
    `.kerf svg text{fill:${text};font-size:11px}`,
    '.kerf svg .pool{font-size:13px;font-weight:600}',
    `.kerf svg .small{fill:${muted};font-size:10px}`,
    `.kerf svg .track{fill:${track}}`,
    `.kerf svg .frame{fill:none;stroke:${line}}`,
    `.kerf svg .removed{fill:none;stroke:${bad};stroke-dasharray:3 2}`,
    `.kerf svg .starting{fill:none;stroke:${muted};stroke-dasharray:3 2}`,
  ];
}
