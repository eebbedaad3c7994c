/** A picture of lines. */
export interface LinePicture {
  readonly title: string;
  /** Of the vertical axis. */
  readonly unit: string;
  /** Of the horizontal axis. @default 'days' */
  readonly across?: string;
  /** At most as many as there are colours. */
  readonly lines: readonly { readonly name: string; readonly points: readonly Point[] }[];
}

interface Point {
  readonly x: number;
  readonly y: number;
}

const WIDTH = 720;
const HEIGHT = 320;
const FRAME = { left: 64, right: 16, top: 64, bottom: 40 };
/** For a light and a dark page. */
const COLOURS = [
  ['#0b62c4', '#6cb0ff'],
  ['#b3420a', '#ff9e5e'],
  ['#5f6672', '#a8b0bd'],
  ['#1b7f4b', '#63d39b'],
  ['#7a3fb0', '#c79bf2'],
] as const;

/** An SVG without a background, whose colours follow the page: it can be read on a light and on a dark one. */
export function drawLines({ title, unit, across = 'days', lines }: LinePicture): string {
  const points = lines.flatMap((line) => line.points);
  const right = Math.max(...points.map(({ x }) => x), 1);
  const step = niceStep(Math.max(...points.map(({ y }) => y), 1e-9) / 5);
  const top = step * Math.ceil(Math.max(...points.map(({ y }) => y), step) / step);
  const x = (value: number): number => FRAME.left + (value / right) * (WIDTH - FRAME.left - FRAME.right);
  const y = (value: number): number => HEIGHT - FRAME.bottom - (value / top) * (HEIGHT - FRAME.top - FRAME.bottom);
  const rows = Array.from({ length: Math.round(top / step) + 1 }, (_, at) => at * step);
  const between = right <= 10 ? 1 : niceStep(right / 6);
  const columns = Array.from({ length: Math.floor(right / between) + 1 }, (_, at) => at * between);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">`,
    `<style>${style(lines.length)}</style>`,
    `<text class="title" x="${FRAME.left}" y="20">${title}, ${unit}</text>`,
    ...rows.flatMap((value) => [
      `<path class="grid" d="M${FRAME.left} ${round(y(value))}H${WIDTH - FRAME.right}"/>`,
      `<text x="${FRAME.left - 8}" y="${round(y(value) + 4)}" text-anchor="end">${labelOf(value, step)}</text>`,
    ]),
    ...columns.map(
      (value) => `<text x="${round(x(value))}" y="${HEIGHT - FRAME.bottom + 18}" text-anchor="middle">${value}</text>`,
    ),
    `<text x="${(FRAME.left + WIDTH - FRAME.right) / 2}" y="${HEIGHT - 6}" text-anchor="middle">${across}</text>`,
    ...lines.flatMap((line, at) => [
      `<path class="line c${at}" d="${pathOf(line.points, x, y)}"/>`,
      `<path class="line c${at}" d="M${FRAME.left + at * KEY_WIDTH} 40h20"/>`,
      `<text x="${FRAME.left + at * KEY_WIDTH + 26}" y="44">${line.name}</text>`,
    ]),
    '</svg>',
    '',
  ].join('\n');
}

const KEY_WIDTH = 180;

function style(count: number): string {
  const used = COLOURS.slice(0, count);
  const colours = (dark: 0 | 1): string => used.map((pair, at) => `.c${at}{stroke:${pair[dark]}}`).join('');
  return (
    `text{font:12px system-ui,sans-serif;fill:#3d4450}.title{font-size:14px;font-weight:600}` +
    `.grid{stroke:#8884;fill:none}.line{fill:none;stroke-width:2}${colours(0)}` +
    `@media(prefers-color-scheme:dark){text{fill:#c5ccd6}${colours(1)}}`
  );
}

function pathOf(points: readonly Point[], x: (value: number) => number, y: (value: number) => number): string {
  return points.map((point, at) => `${at === 0 ? 'M' : 'L'}${round(x(point.x))} ${round(y(point.y))}`).join('');
}

/** 1, 2 or 5 times a power of ten, at least the value. */
function niceStep(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5].find((factor) => factor * power >= value) ?? 10);
}

function labelOf(value: number, step: number): string {
  return value.toFixed(Math.max(0, -Math.floor(Math.log10(step))));
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}
