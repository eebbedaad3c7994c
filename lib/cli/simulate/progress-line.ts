import { counted } from '../../apis/counted.ts';
import { formatDuration } from '../../apis/formats/duration.ts';
import { SECOND_MS } from '../../apis/formats/time.ts';
import type { Progress } from '../../simulator/summary/figures.ts';
import { formatUsd } from '../render/format-money.ts';

/** One line on a terminal that is written again and again while the simulation runs. */
export interface ProgressLine {
  /** Shows the progress, at most a few times a second. The function is called only if it is shown. */
  show(progress: () => Progress): void;
  /** Removes the line, so that other text can be written. */
  clear(): void;
}

interface ProgressTerminal {
  readonly write: (text: string) => void;
  readonly columns: number;
  readonly nowMs: () => number;
}

/** A short simulation shows no progress. */
const FIRST_AFTER_MS = 1_000;
const EVERY_MS = 200;
const CLEAR = '\r\u001B[2K';

export function progressLine({ write, columns, nowMs }: ProgressTerminal): ProgressLine {
  let nextMs = nowMs() + FIRST_AFTER_MS;
  let isShown = false;
  return {
    show(progress) {
      if (nowMs() < nextMs) return;
      nextMs = nowMs() + EVERY_MS;
      write(`${CLEAR}${textOf(progress()).slice(0, columns - 1)}`);
      isShown = true;
    },
    clear() {
      if (isShown) write(CLEAR);
      isShown = false;
    },
  };
}

/** `12h30m of 24h (52 %)  14 nodes  240 pods running, 3 pending  $8.21`. */
function textOf({ atSeconds, durationSeconds, nodes, podsRunning, podsPending, costUsd }: Progress): string {
  const share = Math.floor((atSeconds / durationSeconds) * 100);
  const minutes = Math.floor(atSeconds / 60) * 60;
  const at = minutes === 0 ? '0m' : formatDuration(minutes * SECOND_MS);
  return [
    `${at} of ${formatDuration(durationSeconds * SECOND_MS)} (${share} %)`,
    counted(nodes, 'node'),
    `${counted(podsRunning, 'pod')} running, ${podsPending} pending`,
    formatUsd(costUsd),
  ].join('  ');
}
