/** Wires `kerf dead-letters`: the credentials of the shell, one queue. */
import { SQSClient } from '@aws-sdk/client-sqs';
import type { DeadLetters } from '../../ports/dead-letters.ts';
import { sqsDeadLetters } from '../../providers/aws/messages/sqs-dead-letters.ts';
import { checkUrl, OptionError } from '../options/option-values.ts';
import { haveCredentials, regionOf } from './shell-account.ts';

export interface DeadLettersOptions {
  /** The address of a function's queue. */
  readonly queue: string;
  /** @default that in the address, or that of the shell */
  readonly region: string | undefined;
}

/** In `https://sqs.REGION.amazonaws.com/ACCOUNT/NAME`. A request that another region signs is refused. */
const REGION_OF_QUEUE = /^https:\/\/sqs\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?\//;

/** *Errors:* OptionError for an invalid option, or without a region or credentials; those of SQS. */
export async function wireDeadLetters(options: DeadLettersOptions): Promise<DeadLetters> {
  const queueUrl = checkUrl(options.queue, '--queue');
  const written = REGION_OF_QUEUE.exec(queueUrl)?.[1];
  const region = options.region ?? written;
  if (written !== undefined && region !== written) {
    throw new OptionError(
      `--region is ${region}, but the queue is in ${written}: remove --region, or write ${written}`,
    );
  }
  const client = new SQSClient(region === undefined ? {} : { region });
  await regionOf(client);
  await haveCredentials(client);
  return await sqsDeadLetters(client, queueUrl);
}
