import { type ChartColumn, chartColumns } from '../fleet/columns.ts';
import { formatClock, formatDollars } from '../fleet/format.ts';
import type { FleetHistory } from '../fleet/history.ts';
import { prepared } from './dom.ts';
import { theme } from './theme.ts';

const HEIGHT_PX = 120;
const [TOP, BOTTOM] = [16, 18];
const FONT = '11px system-ui, sans-serif';

/** Draws the cost an hour over the time, its lower bound, and the pending pods. */
export function drawChart(
  canvas: HTMLCanvasElement,
  history: FleetHistory,
  { untilSeconds, knownSeconds, at }: { untilSeconds: number; knownSeconds: number; at: number },
): void {
  const ready = prepared(canvas, HEIGHT_PX);
  if (ready === undefined) return;
  const { pen, width } = ready;
  const colours = theme();
  const columns = chartColumns(history.figures, { untilSeconds, knownSeconds, columns: Math.floor(width) });
  const top = (of: keyof ChartColumn): number => columns.reduce((most, one) => Math.max(most, one[of]), 0);
  const [maxCost, maxPods] = [top('usdPerHour') || 1, top('podsPending') || 1];
  const floor = HEIGHT_PX - BOTTOM;
  const yOf = (usd: number): number => floor - (usd / maxCost) * (floor - TOP);
  pen.globalAlpha = 0.16;
  pen.fillStyle = colours.cost;
  columns.forEach(({ usdPerHour }, x) => pen.fillRect(x, yOf(usdPerHour), 1, floor - yOf(usdPerHour)));
  pen.globalAlpha = 0.65;
  pen.fillStyle = colours.bad;
  columns.forEach(({ podsPending }, x) => {
    const high = podsPending === 0 ? 0 : 3 + (podsPending / maxPods) * 22;
    pen.fillRect(x, floor - high, 1, high);
  });
  pen.globalAlpha = 1;
  const line = (of: 'usdPerHour' | 'boundUsdPerHour', colour: string): void => {
    pen.strokeStyle = colour;
    pen.lineWidth = 1.5;
    pen.beginPath();
    columns.forEach((one, x) => pen.lineTo(x, yOf(one[of])));
    pen.stroke();
  };
  if (top('boundUsdPerHour') > 0) line('boundUsdPerHour', colours.bound);
  line('usdPerHour', colours.cost);
  pen.font = FONT;
  pen.fillStyle = colours.muted;
  pen.fillText(`${formatDollars(top('usdPerHour'))}/h`, 2, 11);
  drawTimes(pen, width, untilSeconds);
  pen.fillStyle = colours.line;
  pen.fillRect(0, floor, width, 1);
  pen.fillStyle = colours.text;
  pen.fillRect(Math.min(width - 2, (at / untilSeconds) * width), TOP - 4, 2, floor - TOP + 4);
}

function drawTimes(pen: CanvasRenderingContext2D, width: number, untilSeconds: number): void {
  const parts = width < 600 ? 2 : 6;
  for (let part = 0; part <= parts; part += 1) {
    pen.textAlign = part === 0 ? 'left' : part === parts ? 'right' : 'center';
    pen.fillText(formatClock((untilSeconds * part) / parts), (width * part) / parts, HEIGHT_PX - 4);
  }
  pen.textAlign = 'left';
}
