import type { SQSBatchResponse } from 'aws-lambda';
import { reconcileDisruption } from '../../lib/controllers/disruption.ts';
import { guarded } from '../../lib/controllers/run/guard.ts';
import { answerWakes, type QueueBatch, type WakeEvent } from '../../lib/operator/lambda/queue-batch.ts';
import { wireController } from '../../lib/operator/wiring/controller.ts';

const runtime = wireController('disruption');
const reconcile = guarded('disruption', reconcileDisruption);

/** Runs when a command's validation is due, and every minute. */
export async function handler(event: WakeEvent, context: QueueBatch['context']): Promise<SQSBatchResponse> {
  return await answerWakes(runtime, { event, context }, reconcile);
}
