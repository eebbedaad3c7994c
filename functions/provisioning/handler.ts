import type { SQSBatchResponse } from 'aws-lambda';
import { reconcileProvisioning } from '../../lib/controllers/provisioning.ts';
import { guarded } from '../../lib/controllers/run/guard.ts';
import { answerWakes, type QueueBatch, type WakeEvent } from '../../lib/operator/lambda/queue-batch.ts';
import { wireController } from '../../lib/operator/wiring/controller.ts';

const runtime = wireController('provisioning');
const reconcile = guarded('provisioning', reconcileProvisioning);

/** Runs for unschedulable pods, for changed NodePools, and every minute. */
export async function handler(event: WakeEvent, context: QueueBatch['context']): Promise<SQSBatchResponse> {
  return await answerWakes(runtime, { event, context }, reconcile);
}
