import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { attended } from '../../lib/controllers/attend.ts';
import { reconcileLifecycle } from '../../lib/controllers/lifecycle.ts';
import { wireLifecycle } from '../../lib/operator/lifecycle.ts';
import { answerWakes, type WakeBatch } from '../../lib/operator/queue-batch.ts';

const runtime = wireLifecycle();
const reconcile = attended('lifecycle', reconcileLifecycle);

/** Runs for new NodeClaims, for nodes that are created or become ready, and every minute. */
export async function handler(event: SQSEvent, context: WakeBatch['context']): Promise<SQSBatchResponse> {
  return await answerWakes(runtime, { event, context }, reconcile);
}
