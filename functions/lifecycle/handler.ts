import type { SQSBatchResponse } from 'aws-lambda';
import { guardedWithTicks } from '../../lib/controllers/act/pass-on-tick.ts';
import { reconcileLifecycle } from '../../lib/controllers/lifecycle.ts';
import { answerWakes, type QueueBatch, type WakeEvent } from '../../lib/operator/lambda/queue-batch.ts';
import { wireLifecycle } from '../../lib/operator/wiring/lifecycle.ts';

const runtime = wireLifecycle();
const reconcile = guardedWithTicks(reconcileLifecycle);

/** Runs for new NodeClaims, for nodes that are created or become ready, and every minute. */
export async function handler(event: WakeEvent, context: QueueBatch['context']): Promise<SQSBatchResponse> {
  return await answerWakes(runtime, { event, context }, reconcile);
}
