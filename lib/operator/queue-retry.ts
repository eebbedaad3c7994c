import { ChangeMessageVisibilityBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Retrying } from './retry-soon.ts';

/** SQS takes no more in one call. */
const MOST_ENTRIES = 10;

/** Makes messages visible again early; one that is gone meanwhile needs it no more. */
export function queueRetry(client: SQSClient, queueUrl: string): Retrying['retryAfter'] {
  return async (records, seconds) => {
    const entries = records.map(({ receiptHandle }, index) => ({
      Id: String(index),
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: seconds,
    }));
    const calls = Math.ceil(entries.length / MOST_ENTRIES);
    await Promise.all(
      Array.from({ length: calls }, async (_, call) => {
        const Entries = entries.slice(call * MOST_ENTRIES, (call + 1) * MOST_ENTRIES);
        await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries }));
      }),
    );
  };
}
