import { SECOND_MS } from '../../apis/formats/time.ts';
import type { ClusterSettings } from '../model/settings.ts';

/** How long a wake queue collects messages before it invokes the function. A message is at least this old when it is received. */
const QUEUE_WINDOW_MS = SECOND_MS;

/**
 * The webhook sends a wake before the API server writes the object, so a run that began at that moment may have missed the object. A
 * batch does not wait another window for less than this rest of the idle time.
 */
const SLACK_MS = SECOND_MS / 2;

/** The times at which the wakes of one invocation were sent. *Units:* milliseconds since 1970. */
export interface WakeTimes {
  /** The first wake of the batch, including wakes that earlier invocations delayed. */
  readonly firstMs: number;
  /** The last wake of the batch, including these. */
  readonly lastMs: number;
  /** When the last of them was sent. A run that they began answers what was sent until then. */
  readonly sentMs: number;
  /** The last due time that they were sent for: a run that begins at this time or later answers them. @default they have none */
  readonly dueMs?: number;
}

export type BatchVerdict =
  | { readonly kind: 'run' }
  /** A run that began after them has read everything that they were sent for. */
  | { readonly kind: 'answered' }
  /** More wakes may come. `delayMs`: the delay of the message that continues the batch. */
  | { readonly kind: 'collect'; readonly sinceMs: number; readonly lastMs: number; readonly delayMs: number };

export interface BatchContext extends Pick<ClusterSettings, 'batchIdleMs' | 'batchMaxMs'> {
  /** When the current run began, or else the last completed run. @default no run has completed */
  readonly runAtMs?: number | undefined;
  /** That run answers what was sent until then, by the clock of the queue (`answersUntilMs`). @default nothing */
  readonly answersUntilMs?: number | undefined;
  readonly nowMs: number;
}

/**
 * Decides whether a run begins now: if no wake has arrived for `batchIdleMs`, or if the first has waited for `batchMaxMs` (F17).
 * *Shape:* for any distribution of wakes over invocations, each period of `batchMaxMs` has one run, and another at its end.
 * Times in messages cannot delay a run by more than `batchMaxMs`. The clocks of functions and of the queue may differ, so what a run
 * has answered depends on times of the queue alone.
 */
export function batchWakes(times: WakeTimes, context: BatchContext): BatchVerdict {
  const { firstMs, lastMs, sentMs, dueMs = -Infinity } = times;
  const { runAtMs = -Infinity, answersUntilMs = -Infinity, batchIdleMs, batchMaxMs, nowMs } = context;
  // What is due by the clock of a run is decided by that clock.
  if (sentMs <= answersUntilMs && dueMs <= runAtMs) return { kind: 'answered' };
  // Not `answersUntilMs`: the clock of the queue may be ahead of this one, and the batch would begin anew in each invocation.
  const unseenFromMs = runAtMs > nowMs ? -Infinity : runAtMs - SLACK_MS;
  const sinceMs = Math.min(nowMs, Math.max(firstMs, unseenFromMs));
  const readyAtMs = Math.min(lastMs + batchIdleMs - SLACK_MS, sinceMs + batchMaxMs);
  if (nowMs >= readyAtMs) return { kind: 'run' };
  return { kind: 'collect', sinceMs, lastMs, delayMs: Math.max(0, readyAtMs - nowMs - QUEUE_WINDOW_MS) };
}

/**
 * Until when a run answers wakes, by the clock of the queue: `times` are those of the wakes that began it. `tookMs`: the time from
 * their receipt to the begin of the run. `before`: until when earlier runs have answered. *Shape:* undefined if it is not known.
 */
export function answersUntil(
  times: Pick<WakeTimes, 'sentMs'> | undefined,
  { tookMs, before }: { readonly tookMs: number; readonly before: number | undefined },
): number | undefined {
  if (times === undefined) return before;
  return Math.max(before ?? -Infinity, times.sentMs, times.sentMs + tookMs - SLACK_MS);
}
