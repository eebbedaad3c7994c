import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { attended } from '../../lib/controllers/attend.ts';
import { reconcileProvisioning } from '../../lib/controllers/provisioning.ts';
import { wireController } from '../../lib/operator/controller.ts';
import { answerWakes, type WakeBatch } from '../../lib/operator/queue-batch.ts';

const runtime = wireController('provisioning');
const reconcile = attended('provisioning', reconcileProvisioning);

/** Runs for unschedulable pods, for changed NodePools, and every minute. */
export async function handler(event: SQSEvent, context: WakeBatch['context']): Promise<SQSBatchResponse> {
  return await answerWakes(runtime, { event, context }, reconcile);
}
