import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { handleInterruption } from '../../lib/controllers/interruption.ts';
import { answerEvents } from '../../lib/operator/lambda/queue-batch.ts';
import { wireInterruption } from '../../lib/operator/wiring/interruption.ts';

const { ports, runtime } = wireInterruption();

/** Runs for events of EC2 and AWS Health about instances. */
export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  return await answerEvents(runtime, event, async (envelope) => await handleInterruption(ports, envelope));
}
