import type { Span } from './styled-lines.ts';

/** What the terminal shows from a time on. */
export interface TerminalFrame {
  readonly atMs: number;
  readonly lines: readonly (readonly Span[])[];
}

interface Picture {
  readonly title: string;
  readonly columns: number;
  readonly rows: number;
  /** One for a still picture. */
  readonly frames: readonly TerminalFrame[];
  /** How long the last frame is shown. @default it is a still picture */
  readonly lastMs?: number;
}

const CELL = { width: 8.43, height: 18 };
const PADDING = 14;
const BAR = 30;

/** Colors with a contrast of at least 4.5 on the background. */
const PALETTE: Readonly<Record<string, string>> = {
  black: '#9aa5b4',
  red: '#ff8b82',
  green: '#66d391',
  yellow: '#e6b450',
  blue: '#8ab4ff',
  magenta: '#d8a0ff',
  cyan: '#5fd3d8',
  white: '#e8ecf2',
};

/**
 * A terminal as an SVG picture. Several frames follow each other and begin again; a reader who has turned off motion sees the last one.
 * Equal lines are written once.
 */
export function terminalSvg({ title, columns, rows, frames, lastMs = 0 }: Picture): string {
  const width = Math.ceil(columns * CELL.width + 2 * PADDING);
  const height = rows * CELL.height + 2 * PADDING + BAR;
  const lines = new Map<string, number>();
  const bodies = frames.map((frame) => frame.lines.slice(0, rows).map((line) => lineOf(line, lines)));
  const endMs = (frames.at(-1)?.atMs ?? 0) + lastMs;
  const uses = bodies.map((ids, at) => {
    const body = ids
      .map((id, row) => (id === undefined ? '' : `<use href="#l${id}" y="${row * CELL.height}"/>`))
      .join('');
    return `<g class="f f${at}">${body}</g>`;
  });
  const shown = frames.length === 1 ? '' : animation(frames, endMs);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<style>text{font:14px ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d6dde8;white-space:pre}.b{font-weight:700;fill:#fff}.d{fill:#9aa5b4}.t{fill:#9aa5b4}${colorRules()}${shown}</style>
<rect width="${width}" height="${height}" rx="10" fill="#0e1116"/><path d="M0 ${BAR}h${width}" stroke="#323b47"/>
<g fill="#4a5563"><circle cx="18" cy="15" r="5"/><circle cx="36" cy="15" r="5"/><circle cx="54" cy="15" r="5"/></g><text class="t" x="76" y="20">${escaped(title)}</text>
<defs>${[...lines].map(([content, id]) => `<text id="l${id}" y="14">${content}</text>`).join('\n')}</defs>
<g transform="translate(${PADDING} ${BAR + PADDING})">${uses.join('\n')}</g>
</svg>
`;
}

/** *Shape:* the number of the line among all lines; undefined for an empty one. */
function lineOf(spans: readonly Span[], lines: Map<string, number>): number | undefined {
  if (spans.every(({ text }) => text.trim() === '')) return undefined;
  let column = 0;
  const content = spans
    .map(({ text, bold, dim, color }) => {
      const names = [bold ? 'b' : '', dim ? 'd' : '', color === undefined ? '' : `c-${color}`].filter(
        (name) => name !== '',
      );
      const length = Array.from(text).length;
      const at = `x="${(column * CELL.width).toFixed(1)}" textLength="${(length * CELL.width).toFixed(1)}" lengthAdjust="spacingAndGlyphs"`;
      column += length;
      return `<tspan ${at}${names.length === 0 ? '' : ` class="${names.join(' ')}"`}>${escaped(text)}</tspan>`;
    })
    .join('');
  const known = lines.get(content) ?? lines.size;
  lines.set(content, known);
  return known;
}

/** Each frame is visible from its time until the next one's. */
function animation(frames: readonly TerminalFrame[], endMs: number): string {
  const rules = frames.map(({ atMs }, at) => {
    const [from, to] = [atMs, frames[at + 1]?.atMs ?? endMs].map((ms) => ((ms / endMs) * 100).toFixed(2));
    const before = at === 0 ? '' : `0%{visibility:hidden}`;
    const end = at === frames.length - 1 ? '' : `${to}%,100%{visibility:hidden}`;
    return `@keyframes k${at}{${before}${from}%{visibility:visible}${end}}.f${at}{animation:k${at} ${endMs}ms step-end infinite}`;
  });
  const last = frames.length - 1;
  return `${rules.join('')}@media(prefers-reduced-motion:reduce){.f{animation:none;visibility:hidden}.f${last}{visibility:visible}}`;
}

function colorRules(): string {
  return Object.entries(PALETTE)
    .map(([name, value]) => `.c-${name}{fill:${value}}`)
    .join('');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
