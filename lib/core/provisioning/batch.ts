import { SECOND_MS } from '../../apis/formats/time.ts';
import type { ClusterSettings } from '../model/settings.ts';

/** How long a wake queue collects by itself before it calls: a message that is sent at once is a second old when it is seen. */
const QUEUE_WINDOW_MS = SECOND_MS;

/**
 * How far two moments must be apart to be told apart. A webhook calls before its object is written, so that a look which
 * began as it was sent may have missed it; and nobody waits another window for the rest of the idle time.
 */
const SLACK_MS = SECOND_MS / 2;

/** When the wakes were sent that one call answers. *Units:* milliseconds since 1970. */
export interface WakeTimes {
  /** The first of the batch, those before it that were carried on included. */
  readonly firstMs: number;
  /** The last, those included too. */
  readonly lastMs: number;
  /** From when on a look sees what all of them were sent for. */
  readonly askedMs: number;
}

export type BatchVerdict =
  | { readonly kind: 'look' }
  /** A look that began after them has seen what they were sent for. */
  | { readonly kind: 'answered' }
  /** More may come. `delayMs`: how long a message that carries the batch on is to be held back. */
  | { readonly kind: 'collect'; readonly sinceMs: number; readonly lastMs: number; readonly delayMs: number };

export interface BatchContext extends Pick<ClusterSettings, 'batchIdleMs' | 'batchMaxMs'> {
  /** When the look began that goes on, or else the last one that came to its end. @default none ever did */
  readonly lookAtMs?: number | undefined;
  readonly nowMs: number;
}

/**
 * Whether a run begins now: when no pod has come for the idle time, or the first has waited for the longest (F17).
 * *Shape:* however wakes are spread over calls, each stretch of `batchMaxMs` sees one look, and another at its end. No time
 * in a message puts a look off by more than `batchMaxMs`.
 */
export function batchWakes({ firstMs, lastMs, askedMs }: WakeTimes, context: BatchContext): BatchVerdict {
  const { lookAtMs = -Infinity, batchIdleMs, batchMaxMs, nowMs } = context;
  // A clock that runs ahead made a look that is yet to come: nobody knows what that has seen.
  const unseenFromMs = lookAtMs > nowMs ? -Infinity : lookAtMs - SLACK_MS;
  if (askedMs < unseenFromMs) return { kind: 'answered' };
  const sinceMs = Math.min(nowMs, Math.max(firstMs, unseenFromMs));
  const readyAtMs = Math.min(lastMs + batchIdleMs - SLACK_MS, sinceMs + batchMaxMs);
  if (nowMs >= readyAtMs) return { kind: 'look' };
  return { kind: 'collect', sinceMs, lastMs, delayMs: Math.max(0, readyAtMs - nowMs - QUEUE_WINDOW_MS) };
}
