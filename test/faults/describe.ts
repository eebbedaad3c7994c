import { formatDuration } from '../../lib/apis/formats/duration.ts';
import type { Fault } from '../../lib/simulator/faults/fault.ts';
import type { TimelineEntry } from '../../lib/simulator/timeline.ts';

/** A fault in one line. */
export function describeFault({ id, kind, fromMs, forMs, ...parameters }: Fault): string {
  const when = forMs === 0 ? `at ${clock(fromMs)}` : `from ${clock(fromMs)} for ${formatDuration(forMs)}`;
  return `${id}: ${kind} ${when} ${JSON.stringify(parameters)}`;
}

/** An entry of the timeline in one line. */
export function describeEntry({ at, kind, ...rest }: TimelineEntry): string {
  return `${clock(at * 1_000)} ${kind} ${JSON.stringify(rest).slice(0, 260)}`;
}

/** `12:04.500` for minutes and seconds. */
export function clock(ms: number): string {
  const seconds = (ms % 60_000) / 1_000;
  return `${Math.floor(ms / 60_000)}:${seconds.toFixed(3).padStart(6, '0')}`;
}
