import { SECOND_MS } from '../../apis/formats/time.ts';
import { shortAge } from '../../core/status/deployment-status.ts';

/** The price of all nodes at one time. */
export interface PricePoint {
  readonly atMs: number;
  readonly usdPerHour: number;
}

const MAX_POINTS = 240;
const BARS = '▁▂▃▄▅▆▇█';

/** The history with one more point; the oldest ones are dropped. A point of the same time replaces it. */
export function withPoint(history: readonly PricePoint[], { atMs, usdPerHour }: PricePoint): readonly PricePoint[] {
  const before = history.filter((one) => one.atMs < atMs);
  return [...before, { atMs, usdPerHour }].slice(-MAX_POINTS);
}

/** `$/h ▁▁▄█ +0.1200 in 5m`. *Shape:* '' for less than two points. */
export function trendText(history: readonly PricePoint[], width: number): string {
  const [first] = history;
  const last = history.at(-1);
  if (first === undefined || last === undefined || first === last) return '';
  const change = last.usdPerHour - first.usdPerHour;
  const sign = change < 0 ? '-' : '+';
  const minutes = shortAge(Math.max(SECOND_MS, last.atMs - first.atMs));
  return `$/h ${bars(history, width)} ${sign}${Math.abs(change).toFixed(4)} in ${minutes}`;
}

/** The whole time in this many characters, from the lowest to the highest price. */
function bars(history: readonly PricePoint[], width: number): string {
  const shown = Math.min(width, history.length);
  const prices = Array.from({ length: shown }, (_, at) => {
    const from = Math.floor((at * history.length) / shown);
    const to = Math.max(from + 1, Math.floor(((at + 1) * history.length) / shown));
    return Math.max(...history.slice(from, to).map(({ usdPerHour }) => usdPerHour));
  });
  const [low, high] = [Math.min(...prices), Math.max(...prices)];
  const levelOf = (price: number): number => (high === low ? 0 : (price - low) / (high - low));
  return prices.map((price) => BARS[Math.round(levelOf(price) * (BARS.length - 1))]).join('');
}
