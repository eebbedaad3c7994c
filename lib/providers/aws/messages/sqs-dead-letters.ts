import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { textField } from '../../../apis/record.ts';
import { type DeadLetter, type DeadLetters, type FailedLetter, MAX_DEAD_LETTERS } from '../../../ports/dead-letters.ts';
import { PortError, RefusedError, UnreachableError } from '../../../ports/errors.ts';
import { translated } from '../client/errors.ts';

const HIDDEN_SECONDS = 60;
/** The limit of SQS for one call. */
const BATCH = 10;

/** The dead letters of the queue with this address. *Errors:* RefusedError for a queue without a dead-letter queue. */
export async function sqsDeadLetters(client: SQSClient, queueUrl: string): Promise<DeadLetters> {
  const deadLettersUrl = await deadLettersOf(client, queueUrl);
  const from = { QueueUrl: deadLettersUrl };
  const remove = async ({ receipt }: DeadLetter): Promise<unknown> =>
    client.send(new DeleteMessageCommand({ ...from, ReceiptHandle: receipt }));
  return {
    receive: async () => translated('read the dead letters', async () => receiveAll(client, deadLettersUrl)),
    release: async (letters) =>
      each(letters, async ({ receipt }) =>
        client.send(new ChangeMessageVisibilityCommand({ ...from, ReceiptHandle: receipt, VisibilityTimeout: 0 })),
      ),
    sendAgain: async (letters) =>
      each(letters, async (letter) => {
        await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: letter.body }));
        await translated(
          'it was sent again, but not deleted from the dead letters, so the next send sends it twice',
          () => remove(letter),
        );
      }),
    delete: async (letters) => each(letters, remove),
  };
}

/** Acts on some letters at a time, so that all are done while they are hidden. A queue that does not answer ends the work. */
async function each(
  letters: readonly DeadLetter[],
  act: (letter: DeadLetter) => Promise<unknown>,
): Promise<readonly FailedLetter[]> {
  const failed: FailedLetter[] = [];
  for (let from = 0; from < letters.length; from += BATCH) {
    const batch = letters.slice(from, from + BATCH);
    const outcomes = await Promise.all(batch.map(async (letter) => failureOf(letter, act)));
    failed.push(...outcomes.flatMap((outcome) => outcome ?? []));
    const silent = outcomes.find((outcome) => outcome?.error instanceof UnreachableError);
    if (silent !== undefined) {
      const error = new UnreachableError(`not tried: ${silent.error.message}`, { cause: silent.error });
      return [...failed, ...letters.slice(from + BATCH).map((letter) => ({ letter, error }))];
    }
  }
  return failed;
}

async function failureOf(
  letter: DeadLetter,
  act: (letter: DeadLetter) => Promise<unknown>,
): Promise<FailedLetter | undefined> {
  try {
    await translated(`dead letter ${letter.id}`, async () => act(letter));
    return undefined;
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return { letter, error };
  }
}

async function receiveAll(client: SQSClient, url: string): Promise<readonly DeadLetter[]> {
  const letters = new Map<string, DeadLetter>();
  while (letters.size < MAX_DEAD_LETTERS) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: BATCH,
        VisibilityTimeout: HIDDEN_SECONDS,
        // A long poll asks all servers of SQS: a short one may miss messages.
        WaitTimeSeconds: 1,
        MessageSystemAttributeNames: ['SentTimestamp'],
      }),
    );
    if (Messages.length === 0) break;
    for (const { MessageId: id = '', Body: body = '', ReceiptHandle: receipt = '', Attributes } of Messages) {
      const sentAtMs = Number(Attributes?.SentTimestamp);
      letters.set(id, { id, body, receipt, ...(sentAtMs > 0 && { sentAtMs }) });
    }
  }
  return [...letters.values()];
}

async function deadLettersOf(client: SQSClient, queueUrl: string): Promise<string> {
  const attributes = new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['RedrivePolicy'] });
  const { Attributes } = await translated(`read queue ${queueUrl}`, async () => client.send(attributes));
  const policy: unknown = JSON.parse(Attributes?.RedrivePolicy ?? '{}');
  const name = textField(policy, 'deadLetterTargetArn')?.split(':').at(-1);
  if (name === undefined) {
    throw new RefusedError(
      `${queueUrl} has no dead-letter queue: write the address of a queue that cdk deploy prints, such as InterruptionQueueUrl`,
    );
  }
  const { QueueUrl } = await translated(`find queue ${name}`, async () =>
    client.send(new GetQueueUrlCommand({ QueueName: name })),
  );
  return QueueUrl ?? '';
}
