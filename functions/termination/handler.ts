import type { SQSBatchResponse } from 'aws-lambda';
import { guarded } from '../../lib/controllers/run/guard.ts';
import { reconcileTermination } from '../../lib/controllers/termination.ts';
import { answerWakes, type QueueBatch, type WakeEvent } from '../../lib/operator/lambda/queue-batch.ts';
import { wireController } from '../../lib/operator/wiring/controller.ts';

const runtime = wireController('termination');
const reconcile = guarded('termination', reconcileTermination);

/** Runs for deleted NodeClaims, for draining nodes, and every minute. */
export async function handler(event: WakeEvent, context: QueueBatch['context']): Promise<SQSBatchResponse> {
  return await answerWakes(runtime, { event, context }, reconcile);
}
