import { randomUUID } from 'node:crypto';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RefusedError } from '../../lib/ports/errors.ts';
import { sqsDeadLetters } from '../../lib/providers/aws/messages/sqs-dead-letters.ts';

const sqs = new SQSClient({});
const urls = { queue: '', deadLetters: '' };

async function createQueue(name: string, attributes: Record<string, string> = {}): Promise<string> {
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }));
  return QueueUrl;
}

beforeAll(async () => {
  const run = randomUUID().slice(0, 8);
  urls.deadLetters = await createQueue(`dead-letters-${run}`);
  const read = new GetQueueAttributesCommand({ QueueUrl: urls.deadLetters, AttributeNames: ['QueueArn'] });
  const deadLetterTargetArn = (await sqs.send(read)).Attributes?.QueueArn;
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 3 });
  urls.queue = await createQueue(`queue-${run}`, { RedrivePolicy });
});
afterAll(async () => {
  for (const QueueUrl of Object.values(urls)) await sqs.send(new DeleteQueueCommand({ QueueUrl }));
  sqs.destroy();
});

async function bodiesIn(url: string): Promise<readonly string[]> {
  const receive = new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10, VisibilityTimeout: 0 });
  const { Messages = [] } = await sqs.send(receive);
  return Messages.map(({ Body = '' }) => Body).toSorted();
}

test('dead letters are read, released, deleted, and sent to their queue again', async () => {
  for (const MessageBody of ['a', 'b', 'c']) {
    await sqs.send(new SendMessageCommand({ QueueUrl: urls.deadLetters, MessageBody }));
  }
  const deadLetters = await sqsDeadLetters(sqs, urls.queue);
  const letters = (await deadLetters.receive()).toSorted((a, b) => a.body.localeCompare(b.body));
  expect(letters.map(({ body, sentAtMs = 0 }) => [body, sentAtMs > 0])).toEqual([
    ['a', true],
    ['b', true],
    ['c', true],
  ]);
  expect(await deadLetters.receive()).toEqual([]);
  await deadLetters.sendAgain(letters.slice(0, 1));
  await deadLetters.delete(letters.slice(1, 2));
  await deadLetters.release(letters.slice(2));
  expect(await bodiesIn(urls.queue)).toEqual(['a']);
  expect((await deadLetters.receive()).map(({ body }) => body)).toEqual(['c']);
});

test('a queue without dead letters is refused with the address to write', async () => {
  await expect(sqsDeadLetters(sqs, urls.deadLetters)).rejects.toThrow(RefusedError);
  await expect(sqsDeadLetters(sqs, `${urls.queue}-missing`)).rejects.toThrow(RefusedError);
});
