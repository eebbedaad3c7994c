import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { reconcileLifecycle } from '../../lib/controllers/lifecycle.ts';
import { wireController } from '../../lib/operator/controller.ts';
import { answerWakes, type WakeBatch } from '../../lib/operator/wake-batch.ts';

const runtime = wireController('lifecycle');

/** Woken by claims that were made, by nodes that appear or become ready, and every minute. */
export async function handler(event: SQSEvent, context: WakeBatch['context']): Promise<SQSBatchResponse> {
  return await answerWakes(runtime, { event, context }, reconcileLifecycle);
}
