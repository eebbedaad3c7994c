/** A batch of events that came through a queue, each handled by itself. */
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { RunReport } from '../controllers/ports.ts';
import { isOvertaken } from '../ports/errors.ts';
import { type Retrying, retrySoon } from './retry-soon.ts';

/** *Shape:* the messages to be delivered again: those that are not JSON, or could not be handled. */
export async function answerEvents(
  runtime: Retrying,
  event: SQSEvent,
  handle: (envelope: unknown) => Promise<readonly RunReport[]>,
): Promise<SQSBatchResponse> {
  const handleOne = async (record: SQSRecord): Promise<readonly string[]> => {
    const { body, messageId } = record;
    try {
      for (const report of await handle(JSON.parse(body))) runtime.telemetry.report({ reason: 'event' }, report);
      return [];
    } catch (error) {
      if (isOvertaken(error)) runtime.telemetry.warn('an event is looked at again', { messageId, why: String(error) });
      else runtime.telemetry.error('an event was not handled', error, { messageId, body });
      await retrySoon(runtime, [record], error);
      return [messageId];
    }
  };
  const failed = await Promise.all(event.Records.map(handleOne));
  return { batchItemFailures: failed.flat().map((itemIdentifier) => ({ itemIdentifier })) };
}
