import { ChangeMessageVisibilityBatchCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { SECOND_MS } from '../../apis/formats/time.ts';
import type { Redelivery } from '../../ports/redelivery.ts';

/** The limit of SQS for one call. */
const MAX_ENTRIES = 10;

/** Makes messages of an SQS queue visible again early. Failures of single messages, for example deleted ones, are ignored. */
export function queueRedelivery(client: SQSClient, queueUrl: string): Redelivery {
  return {
    async deliverAgain(messages, afterMs) {
      const seconds = Math.ceil(afterMs / SECOND_MS);
      const sent = messages.filter(({ receipt }) => receipt === undefined);
      const entries = messages.flatMap(({ receipt }, index) =>
        receipt === undefined ? [] : { Id: String(index), ReceiptHandle: receipt, VisibilityTimeout: seconds },
      );
      const calls = Math.ceil(entries.length / MAX_ENTRIES);
      await Promise.all([
        ...sent.map(async ({ body }) =>
          client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body, DelaySeconds: seconds })),
        ),
        ...Array.from({ length: calls }, async (_, call) => {
          const Entries = entries.slice(call * MAX_ENTRIES, (call + 1) * MAX_ENTRIES);
          await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries }));
        }),
      ]);
    },
  };
}
