import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import type { DeadLetter, FailedLetter } from '../../../../lib/ports/dead-letters.ts';
import { sqsDeadLetters } from '../../../../lib/providers/aws/messages/sqs-dead-letters.ts';
import { awsError } from '../aws-error.ts';

function described(failed: readonly FailedLetter[]): readonly string[] {
  return failed.map(({ letter, error }) => `${letter.id}: ${error.message}`);
}

describe('dead letters, one of which SQS refuses', () => {
  const client = new SQSClient({ region: 'us-east-1', maxAttempts: 1 });
  const sqs = mockClient(client);
  const letters = ['a', 'b', 'c'].map((id): DeadLetter => ({ id, body: `body of ${id}`, receipt: id }));
  const deleted = (): readonly unknown[] =>
    sqs.commandCalls(DeleteMessageCommand).map(({ args: [{ input }] }) => input.ReceiptHandle);

  beforeEach(() => {
    sqs.reset();
    const RedrivePolicy = '{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:1:dead"}';
    sqs.on(GetQueueAttributesCommand).resolves({ Attributes: { RedrivePolicy } });
    sqs.on(GetQueueUrlCommand).resolves({ QueueUrl: 'https://sqs/dead' });
    sqs.on(SendMessageCommand).resolves({});
    sqs.on(DeleteMessageCommand).resolves({});
    sqs.on(ChangeMessageVisibilityCommand).resolves({});
  });

  test('the others are sent again, and the refused one stays and is reported', async () => {
    sqs.on(SendMessageCommand, { MessageBody: 'body of b' }).rejects(awsError('InvalidMessageContents', 400));
    const failed = await (await sqsDeadLetters(client, 'https://sqs/queue')).sendAgain(letters);
    expect(deleted()).toEqual(['a', 'c']);
    expect(described(failed)).toEqual([expect.stringMatching(/^b: .*InvalidMessageContents/)]);
  });

  test('one that is sent and cannot be deleted is reported with the consequence', async () => {
    sqs.on(DeleteMessageCommand, { ReceiptHandle: 'b' }).rejects(awsError('ReceiptHandleIsInvalid', 400));
    const failed = await (await sqsDeadLetters(client, 'https://sqs/queue')).sendAgain(letters);
    expect(deleted()).toEqual(['a', 'b', 'c']);
    expect(described(failed)).toEqual([expect.stringMatching(/^b: .*sent again.*not deleted.*sends it twice/)]);
  });

  test('the others are deleted and released', async () => {
    const queue = await sqsDeadLetters(client, 'https://sqs/queue');
    sqs.on(DeleteMessageCommand, { ReceiptHandle: 'a' }).rejects(awsError('ReceiptHandleIsInvalid', 400));
    sqs.on(ChangeMessageVisibilityCommand, { ReceiptHandle: 'a' }).rejects(awsError('ReceiptHandleIsInvalid', 400));
    expect((await queue.delete(letters)).map(({ letter }) => letter.id)).toEqual(['a']);
    expect((await queue.release(letters)).map(({ letter }) => letter.id)).toEqual(['a']);
    expect(sqs.commandCalls(ChangeMessageVisibilityCommand)).toHaveLength(3);
  });

  test('a queue that does not answer ends the work, and the rest is reported as not tried', async () => {
    sqs.on(SendMessageCommand).rejects(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
    const many = Array.from({ length: 25 }, (_, index): DeadLetter => {
      return { id: `${index}`, body: 'x', receipt: `${index}` };
    });
    const failed = await (await sqsDeadLetters(client, 'https://sqs/queue')).sendAgain(many);
    expect(failed).toHaveLength(25);
    expect(sqs.commandCalls(SendMessageCommand).length).toBeLessThanOrEqual(10);
  });
});
