/** Wires the webhook function with SQS alone: it must start fast, because API servers wait for it. */

import { createHash, timingSafeEqual } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Telemetry } from '../../controllers/run/telemetry.ts';
import { ANSWER_WITHIN_MS, type WebhookPorts } from '../../controllers/webhook.ts';
import { SqsWakeQueue } from '../../providers/aws/messages/wake-queue.ts';
import { type Environment, webhookOptions } from '../options/options.ts';
import { telemetryOf } from '../telemetry/telemetry.ts';
import { SDK_CONNECTIONS } from './sdk-timeouts.ts';

/** One retry, within the same deadline, for a connection that was closed while the function was frozen. */
const IMPATIENCE = {
  maxAttempts: 2,
  requestHandler: {
    ...SDK_CONNECTIONS,
    connectionTimeout: ANSWER_WITHIN_MS,
    requestTimeout: ANSWER_WITHIN_MS,
    throwOnRequestTimeout: true,
  },
};

/** *Errors:* OptionError. */
export function wireWebhook(environment: Environment = process.env): {
  readonly ports: WebhookPorts;
  readonly telemetry: Telemetry;
} {
  const { clusters, secret, queueUrls } = webhookOptions(environment);
  const ports: WebhookPorts = {
    messages: new SqsWakeQueue({ client: new SQSClient(IMPATIENCE), queueUrls }),
    clusters,
    isSecret: secretMatcher(secret),
    deadline: async () => await setTimeout(ANSWER_WITHIN_MS),
  };
  return { ports, telemetry: telemetryOf('webhook') };
}

/** Compares digests of equal length in constant time, so that the duration reveals nothing about the secret. @internal */
export function secretMatcher(secret: string): (candidate: string) => boolean {
  const expected = digest(secret);
  return (candidate) => timingSafeEqual(digest(candidate), expected);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
