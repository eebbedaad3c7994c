import { ChangeMessageVisibilityBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, test } from 'vitest';
import { queueRedelivery } from '../../../lib/operator/lambda/queue-retry.ts';

test('messages are made visible ten at a time', async () => {
  const client = new SQSClient({ region: 'eu-west-3' });
  const sqs = mockClient(client);
  sqs.on(ChangeMessageVisibilityBatchCommand).resolves({ Successful: [], Failed: [] });
  const records = Array.from({ length: 25 }, (_, index) => ({ receipt: `handle-${index}` }));
  await queueRedelivery(client, 'https://sqs.test/q').deliverAgain(records, 20_000);
  const calls = sqs.commandCalls(ChangeMessageVisibilityBatchCommand).map((call) => call.args[0].input.Entries ?? []);
  expect(calls.map((entries) => entries.length)).toEqual([10, 10, 5]);
  expect(new Set(calls.flat().map(({ ReceiptHandle }) => ReceiptHandle)).size).toBe(25);
  expect(calls.flat().every(({ VisibilityTimeout }) => VisibilityTimeout === 20)).toBe(true);
});
