import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { RefusedError } from '../../ports/errors.ts';
import { LONGEST_DELAY_MS, type Wake, type WakeTarget } from '../../ports/messages.ts';
import { translated } from './errors.ts';

export interface WakeQueueOptions {
  readonly client: SQSClient;
  /** A function is given only the queues that it sends to. */
  readonly queueUrls: Readonly<Partial<Record<WakeTarget, string>>>;
}

/** The sending half of the wake queues. Apart from the bus, so that the webhook's bundle holds the SQS client alone. */
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
        `no wake queue for ${target} was configured (known: ${known}): give this function its URL`,
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

/** Rounded up: a wake must not arrive before what it is for is due. */
function delaySeconds(delayMs: number): number {
  return Math.ceil(Math.min(Math.max(delayMs, 0), LONGEST_DELAY_MS) / 1_000);
}
