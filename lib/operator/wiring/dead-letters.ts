/** Wires `kerf dead-letters`: the credentials of the shell, one queue. */
import { SQSClient } from '@aws-sdk/client-sqs';
import type { DeadLetters } from '../../ports/dead-letters.ts';
import { sqsDeadLetters } from '../../providers/aws/messages/sqs-dead-letters.ts';
import { checkUrl } from '../options/option-values.ts';
import { haveCredentials, regionOf } from './shell-account.ts';

export interface DeadLettersOptions {
  /** The address of a function's queue. */
  readonly queue: string;
  /** @default that of the shell */
  readonly region: string | undefined;
}

/** *Errors:* OptionError for an invalid option, or without a region or credentials; those of SQS. */
export async function wireDeadLetters({ queue, region }: DeadLettersOptions): Promise<DeadLetters> {
  const queueUrl = checkUrl(queue, '--queue');
  const client = new SQSClient(region === undefined ? {} : { region });
  await regionOf(client);
  await haveCredentials(client);
  return await sqsDeadLetters(client, queueUrl);
}
