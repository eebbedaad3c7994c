/** The shell of an invocation: handles each event of a batch separately. */
import { eventPauseMs } from '../../core/delivery/deliveries.ts';
import { eventLife } from '../../core/interruption/event-life.ts';
import { isConflict } from '../../ports/errors.ts';
import type { QueuedMessage } from '../../ports/redelivery.ts';
import type { HandledEvent } from '../interruption.ts';
import { timedRun } from '../record/timed-run.ts';
import { withinTime } from '../wait/within-time.ts';
import type { Invocation } from './handle-wakes.ts';
import type { RunReport } from './ports.ts';
import { deliverAgain, type MessageRuntime } from './retry-soon.ts';

/** @param receives the number of deliveries of the event, including this one */
export type HandleEvent = (envelope: unknown, receives: number) => Promise<HandledEvent>;

/**
 * *Shape:* the ids of the messages to deliver again: those that are not JSON, that failed, or that took the whole time of the
 * invocation. Each is delivered again until what it announces is over (`EVENT_PLAN`), after every kind of failure: a refusal may
 * be a permission that is changed just now.
 */
export async function handleEvents(
  runtime: MessageRuntime,
  { messages, timer }: Invocation,
  handle: HandleEvent,
): Promise<readonly string[]> {
  const failed = await Promise.all(
    messages.map(async (message) => {
      const timed = timedRun(runtime, timer);
      const { envelope, failures, reports } = await handled(runtime, message, async (event, receives) =>
        withinTime(timer, handle(event, receives)),
      );
      for (const failure of failures) reportFailure(runtime, message, failure);
      const isFailed = failures.length > 0;
      if (isFailed) await deliverAgain(runtime, [message], eventPauseMs(message.receives, eventLife(envelope)));
      for (const report of reports) await timed.record({ reason: 'event' }, report);
      return isFailed ? [message.id] : [];
    }),
  );
  return failed.flat();
}

async function handled(
  { telemetry }: MessageRuntime,
  { body, receives }: QueuedMessage,
  handle: HandleEvent,
): Promise<{
  readonly envelope?: unknown;
  readonly failures: readonly unknown[];
  readonly reports: readonly RunReport[];
}> {
  let envelope: unknown;
  try {
    envelope = JSON.parse(body);
    const { reports, failures } = await handle(envelope, receives);
    for (const report of reports) telemetry.report({ reason: 'event' }, report);
    return { envelope, failures, reports };
  } catch (error) {
    return { envelope, failures: [error], reports: [] };
  }
}

function reportFailure({ telemetry }: MessageRuntime, { id: messageId, body }: QueuedMessage, failure: unknown): void {
  if (isConflict(failure)) telemetry.warn('conflict: the event is retried', { messageId, why: String(failure) });
  else telemetry.error('failed to handle an event', failure, { messageId, body });
}
