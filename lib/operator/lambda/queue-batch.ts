/** What Lambda passes to a function from its SQS queue or from a schedule, and what it takes back. */
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { type HandleEvent, handleEvents } from '../../controllers/run/handle-events.ts';
import { handleTick, handleWakes, type Invocation, type WakeRuntime } from '../../controllers/run/handle-wakes.ts';
import type { Reconcile } from '../../controllers/run/ports.ts';
import type { MessageRuntime } from '../../controllers/run/retry-soon.ts';
import type { Wake } from '../../ports/messages.ts';
import type { QueuedMessage } from '../../ports/redelivery.ts';
import { systemTimer } from './system-timer.ts';

export interface QueueBatch {
  readonly event: SQSEvent;
  readonly context: Pick<Context, 'getRemainingTimeInMillis'>;
}

/** A wake as the input of a schedule's target, or a batch of wakes. */
export type WakeEvent = SQSEvent | Wake;

/** Runs `reconcile` once for each cluster that the event names. *Shape:* the messages to deliver again. */
export async function answerWakes(
  runtime: WakeRuntime,
  { event, context }: { readonly event: WakeEvent; readonly context: QueueBatch['context'] },
  reconcile: Reconcile,
): Promise<SQSBatchResponse> {
  if ('Records' in event) return responseOf(await handleWakes(runtime, invocationOf({ event, context }), reconcile));
  const timer = systemTimer(() => context.getRemainingTimeInMillis());
  await handleTick(runtime, { tick: event, timer }, reconcile);
  return responseOf([]);
}

/** Handles each event by itself. *Shape:* the messages to deliver again. */
export async function answerEvents(
  runtime: MessageRuntime,
  batch: QueueBatch,
  handle: HandleEvent,
): Promise<SQSBatchResponse> {
  return responseOf(await handleEvents(runtime, invocationOf(batch), handle));
}

function invocationOf({ event, context }: QueueBatch): Invocation {
  return {
    messages: event.Records.map(queuedMessage),
    timer: systemTimer(() => context.getRemainingTimeInMillis()),
  };
}

/** A record of an SQS event. @internal */
export function queuedMessage({ messageId, receiptHandle, body, attributes }: SQSRecord): QueuedMessage {
  const sentAtMs = Number(attributes.SentTimestamp);
  return {
    id: messageId,
    receipt: receiptHandle,
    body,
    receives: Number(attributes.ApproximateReceiveCount),
    ...(sentAtMs > 0 && { sentAtMs }),
  };
}

function responseOf(ids: readonly string[]): SQSBatchResponse {
  return { batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })) };
}
