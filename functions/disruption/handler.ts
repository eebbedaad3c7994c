import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { attended } from '../../lib/controllers/attend.ts';
import { reconcileDisruption } from '../../lib/controllers/disruption.ts';
import { wireController } from '../../lib/operator/controller.ts';
import { answerWakes, type WakeBatch } from '../../lib/operator/queue-batch.ts';

const runtime = wireController('disruption');
const reconcile = attended('disruption', reconcileDisruption);

/** Runs when a command's validation is due, and every minute. */
export async function handler(event: SQSEvent, context: WakeBatch['context']): Promise<SQSBatchResponse> {
  return await answerWakes(runtime, { event, context }, reconcile);
}
