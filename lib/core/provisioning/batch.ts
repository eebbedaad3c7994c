import { SECOND_MS } from '../../apis/formats/time.ts';
import type { ClusterSettings } from '../model/settings.ts';

/** How long a wake queue collects messages before it invokes the function. A message is at least this old when it is received. */
const QUEUE_WINDOW_MS = SECOND_MS;

/**
 * The precision of comparisons of times. The webhook sends a wake before the API server writes the object, so a run that began
 * at that moment may have missed the object. A batch does not wait another window for less than this rest of the idle time.
 */
const SLACK_MS = SECOND_MS / 2;

/** The times at which the wakes of one invocation were sent. *Units:* milliseconds since 1970. */
export interface WakeTimes {
  /** The first wake of the batch, including wakes that earlier invocations delayed. */
  readonly firstMs: number;
  /** The last wake of the batch, including these. */
  readonly lastMs: number;
  /** When the last of them was sent: a run that begins half a second later reads everything that they were sent for. */
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
  readonly nowMs: number;
}

/**
 * Decides whether a run begins now: if no wake has arrived for `batchIdleMs`, or if the first has waited for `batchMaxMs` (F17).
 * *Shape:* for any distribution of wakes over invocations, each period of `batchMaxMs` has one run, and another at its end.
 * Times in messages cannot delay a run by more than `batchMaxMs`.
 */
export function batchWakes(times: WakeTimes, context: BatchContext): BatchVerdict {
  const { firstMs, lastMs, sentMs, dueMs = -Infinity } = times;
  const { runAtMs = -Infinity, batchIdleMs, batchMaxMs, nowMs } = context;
  // Because of clock skew, the run appears to begin in the future: what it has read is not known.
  const unseenFromMs = runAtMs > nowMs ? -Infinity : runAtMs - SLACK_MS;
  // What becomes due is read from a clock, not from an object that is written meanwhile, so no precision is lost.
  if (sentMs < unseenFromMs && dueMs <= runAtMs) return { kind: 'answered' };
  const sinceMs = Math.min(nowMs, Math.max(firstMs, unseenFromMs));
  const readyAtMs = Math.min(lastMs + batchIdleMs - SLACK_MS, sinceMs + batchMaxMs);
  if (nowMs >= readyAtMs) return { kind: 'run' };
  return { kind: 'collect', sinceMs, lastMs, delayMs: Math.max(0, readyAtMs - nowMs - QUEUE_WINDOW_MS) };
}
