import { ChangeMessageVisibilityBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, test } from 'vitest';
import { queueRedelivery } from '../../../lib/operator/lambda/queue-retry.ts';

test('messages are made visible ten at a time', async () => {
  const client = new SQSClient({ region: 'eu-west-3' });
  const sqs = mockClient(client);
  sqs.on(ChangeMessageVisibilityBatchCommand).resolves({ Successful: [], Failed: [] });
  const records = Array.from({ length: 25 }, (_, index) => ({ receipt: `handle-${index}`, body: '' }));
  await queueRedelivery(client, 'https://sqs.test/q').deliverAgain(records, 20_000);
  const calls = sqs.commandCalls(ChangeMessageVisibilityBatchCommand).map((call) => call.args[0].input.Entries ?? []);
  expect(calls.map((entries) => entries.length)).toEqual([10, 10, 5]);
  expect(new Set(calls.flat().map(({ ReceiptHandle }) => ReceiptHandle)).size).toBe(25);
  expect(calls.flat().every(({ VisibilityTimeout }) => VisibilityTimeout === 20)).toBe(true);
});

test('a message that came from no queue is sent to the queue', async () => {
  const client = new SQSClient({ region: 'eu-west-3' });
  const sqs = mockClient(client);
  sqs.on(SendMessageCommand).resolves({});
  await queueRedelivery(client, 'https://sqs.test/q').deliverAgain([{ body: 'tick' }], 2_000);
  const [call] = sqs.commandCalls(SendMessageCommand);
  expect(call?.args[0].input).toEqual({ QueueUrl: 'https://sqs.test/q', MessageBody: 'tick', DelaySeconds: 2 });
  expect(sqs.commandCalls(ChangeMessageVisibilityBatchCommand)).toEqual([]);
});
