import { wakePauseMs } from '../../core/delivery/deliveries.ts';
import { PortError } from '../../ports/errors.ts';
import type { QueuedMessage, Redelivery } from '../../ports/redelivery.ts';
import type { DecisionRecorder } from '../record/decision-recorder.ts';
import type { Telemetry } from './telemetry.ts';

/** What the handling of messages needs. */
export interface MessageRuntime {
  readonly telemetry: Telemetry;
  readonly redelivery: Redelivery;
  /** @default decisions are not recorded */
  readonly recorder?: DecisionRecorder;
}

/** Delivers the wakes of a run again soon, each by its own deliveries, if the failure is retryable: otherwise after the visibility timeout of the queue. */
export async function retrySoon(
  runtime: MessageRuntime,
  messages: readonly QueuedMessage[],
  failure: unknown,
): Promise<void> {
  if (!(failure instanceof PortError && failure.retryable)) return;
  for (const [receives, alike] of Map.groupBy(messages, (one) => one.receives)) {
    const pauseMs = wakePauseMs(receives);
    if (pauseMs !== undefined) await deliverAgain(runtime, alike, pauseMs);
  }
}

/** Best effort: otherwise the messages are delivered again after the visibility timeout. */
export async function deliverAgain(
  { redelivery, telemetry }: MessageRuntime,
  messages: readonly QueuedMessage[],
  afterMs: number,
): Promise<void> {
  try {
    await redelivery.deliverAgain(messages, afterMs);
  } catch (error) {
    telemetry.error('failed to make messages visible early', error, { messages: messages.length });
  }
}
