import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../apis/formats/time.ts';

/**
 * How often and when a queue delivers a message that fails. The stack configures the queues with these values, the functions
 * return messages with them, and the simulated queues use them.
 */
export interface DeliveryPlan {
  /** The number of deliveries after which the message becomes a dead letter. */
  readonly deliveries: number;
  /** The time limit of the function. */
  readonly functionTimeoutMs: number;
  /** The queue delivers a message again after this time if the function was stopped, or set no pause. */
  readonly visibilityTimeoutMs: number;
  /** The queue deletes older messages. */
  readonly retentionMs: number;
  /** The most messages of an invocation. */
  readonly batchSize: number;
}

/** The function has answered, or was stopped, before its messages are visible again. */
const VISIBLE_AFTER_MS = 5 * SECOND_MS;

/** The first retry is early, because most failures are short. The second gives the service time to recover. */
const WAKE_PAUSES_MS: readonly number[] = [2 * SECOND_MS, 20 * SECOND_MS];

/** *Shape:* undefined after the last delivery. @param receives the number of deliveries until now */
export function wakePauseMs(receives: number): number | undefined {
  return WAKE_PAUSES_MS[receives - 1];
}

/** A wake is a hint, and the tick replaces it within a minute: it is delivered at 0, 2 and 22 s. */
export const WAKE_PLAN = plan({
  deliveries: WAKE_PAUSES_MS.length + 1,
  functionTimeoutMs: MINUTE_MS,
  batchSize: 1_000,
});

/**
 * Nothing replaces an event of EC2: it is delivered until what it announces is over. The function has a short time limit,
 * because a stopped invocation delays its messages by the visibility timeout.
 */
export const EVENT_PLAN = plan({ deliveries: 30, functionTimeoutMs: 20 * SECOND_MS, batchSize: 10 });

/**
 * Lambda reads a queue with this many batches at a time, and with more while messages wait, so that a cluster that hangs does not delay
 * the others. No queue has a maximum concurrency: with one, Lambda polls an idle queue with five pollers; without it, with as few as two.
 * *Source:* "Configuring scaling behavior for SQS event source mappings", AWS Lambda Developer Guide, as of 2026.
 */
export const CONCURRENT_BATCHES = 5;

/** The pause doubles from one second. With these limits, the deliveries of EVENT_PLAN last as long as the event. */
export type EventLife = 'minutes' | 'quarter-hour';

/**
 * After an outage, a warning is delivered within the longest pause, because its drain has two minutes at most.
 * *Units:* how long deliveries go on at least, and the longest pause between two of them.
 */
export const EVENT_LIVES: Readonly<Record<EventLife, { readonly lastsMs: number; readonly longestPauseMs: number }>> = {
  minutes: { lastsMs: 2 * MINUTE_MS, longestPauseMs: 5 * SECOND_MS },
  'quarter-hour': { lastsMs: 15 * MINUTE_MS, longestPauseMs: 40 * SECOND_MS },
};

/** Whether a failure of this delivery of an event makes it a dead letter. @param receives the number of deliveries until now */
export function isLastDelivery(receives: number): boolean {
  return receives >= EVENT_PLAN.deliveries;
}

/** @param receives the number of deliveries until now */
export function eventPauseMs(receives: number, life: EventLife): number {
  return Math.min(SECOND_MS * 2 ** (Math.max(1, receives) - 1), EVENT_LIVES[life].longestPauseMs);
}

function plan(given: Pick<DeliveryPlan, 'deliveries' | 'functionTimeoutMs' | 'batchSize'>): DeliveryPlan {
  return {
    ...given,
    visibilityTimeoutMs: given.functionTimeoutMs + VISIBLE_AFTER_MS,
    retentionMs: DAY_MS,
  };
}
