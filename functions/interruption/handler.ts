import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { handleInterruption } from '../../lib/controllers/interruption.ts';
import { answerEvents, type QueueBatch } from '../../lib/operator/lambda/queue-batch.ts';
import { wireInterruption } from '../../lib/operator/wiring/interruption.ts';

const { ports, runtime } = wireInterruption();

/** Runs for events of EC2 and AWS Health about instances. */
export async function handler(event: SQSEvent, context: QueueBatch['context']): Promise<SQSBatchResponse> {
  return await answerEvents(
    runtime,
    { event, context },
    async (envelope, receives) => await handleInterruption(ports, envelope, receives),
  );
}
