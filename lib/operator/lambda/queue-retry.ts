import { ChangeMessageVisibilityBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { SECOND_MS } from '../../apis/formats/time.ts';
import type { Redelivery } from '../../ports/redelivery.ts';

/** The limit of SQS for one call. */
const MAX_ENTRIES = 10;

/** Makes messages of an SQS queue visible again early. Failures of single messages, for example deleted ones, are ignored. */
export function queueRedelivery(client: SQSClient, queueUrl: string): Redelivery {
  return {
    async deliverAgain(messages, afterMs) {
      const entries = messages.map(({ receipt }, index) => ({
        Id: String(index),
        ReceiptHandle: receipt,
        VisibilityTimeout: Math.ceil(afterMs / SECOND_MS),
      }));
      const calls = Math.ceil(entries.length / MAX_ENTRIES);
      await Promise.all(
        Array.from({ length: calls }, async (_, call) => {
          const Entries = entries.slice(call * MAX_ENTRIES, (call + 1) * MAX_ENTRIES);
          await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries }));
        }),
      );
    },
  };
}
