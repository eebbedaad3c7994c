/** The shell of an invocation: handles each event of a batch separately. */
import { isConflict } from '../../ports/errors.ts';
import type { QueuedMessage } from '../../ports/redelivery.ts';
import type { RunReport } from './ports.ts';
import { type MessageRuntime, retrySoon } from './retry-soon.ts';

/** *Shape:* the ids of the messages to deliver again: those that are not JSON, or that failed. */
export async function handleEvents(
  runtime: MessageRuntime,
  messages: readonly QueuedMessage[],
  handle: (envelope: unknown) => Promise<readonly RunReport[]>,
): Promise<readonly string[]> {
  const handleOne = async (message: QueuedMessage): Promise<readonly string[]> => {
    const { body, id: messageId } = message;
    try {
      for (const report of await handle(JSON.parse(body))) runtime.telemetry.report({ reason: 'event' }, report);
      return [];
    } catch (error) {
      if (isConflict(error))
        runtime.telemetry.warn('conflict: the event is retried', { messageId, why: String(error) });
      else runtime.telemetry.error('failed to handle an event', error, { messageId, body });
      await retrySoon(runtime, [message], error);
      return [messageId];
    }
  };
  const failed = await Promise.all(messages.map(handleOne));
  return failed.flat();
}
