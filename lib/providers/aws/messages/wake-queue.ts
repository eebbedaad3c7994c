import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { RefusedError } from '../../../ports/errors.ts';
import { MAX_DELAY_MS, type Wake, type WakeTarget } from '../../../ports/messages.ts';
import { translated } from '../client/errors.ts';

export interface WakeQueueOptions {
  readonly client: SQSClient;
  /** Contains only the queues that the function sends to. */
  readonly queueUrls: Readonly<Partial<Record<WakeTarget, string>>>;
}

/** Sends messages to the wake queues. Separate from the event bus, so the webhook's bundle includes only the SQS client. */
export class SqsWakeQueue {
  readonly #client: SQSClient;
  readonly #queueUrls: WakeQueueOptions['queueUrls'];

  constructor({ client, queueUrls }: WakeQueueOptions) {
    this.#client = client;
    this.#queueUrls = queueUrls;
  }

  async wake(target: WakeTarget, wake: Wake, delayMs = 0): Promise<void> {
    const queueUrl = this.#queueUrls[target];
    if (queueUrl === undefined) {
      const known = Object.keys(this.#queueUrls).toSorted().join(', ');
      throw new RefusedError(
        `no wake queue for ${target} is configured (configured: ${known}); set its URL for this function`,
      );
    }
    const command = new SendMessageCommand({
      QueueUrl: queueUrl,
      MessageBody: JSON.stringify(wake),
      DelaySeconds: delaySeconds(delayMs),
    });
    await translated(`wake ${target} of ${wake.cluster}`, () => this.#client.send(command));
  }
}

/** Rounded up, because a wake must not arrive before it is due. */
function delaySeconds(delayMs: number): number {
  return Math.ceil(Math.min(Math.max(delayMs, 0), MAX_DELAY_MS) / 1_000);
}
