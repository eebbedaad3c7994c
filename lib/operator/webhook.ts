/** The webhook function's wiring: SQS and nothing else, for it is on the API server's path and must start fast. */

import { createHash, timingSafeEqual } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Telemetry } from '../controllers/run/telemetry.ts';
import { ANSWER_WITHIN_MS, type WebhookPorts } from '../controllers/webhook.ts';
import { SqsWakeQueue } from '../providers/aws/wake-queue.ts';
import { type Environment, webhookOptions } from './options.ts';
import { telemetryOf } from './telemetry.ts';

/** A connection that died while the function was frozen is tried once more, within the time that there is. */
const IMPATIENCE = {
  maxAttempts: 2,
  requestHandler: {
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

/** Compares digests: they are of one length, and how long it takes tells nothing of the secret. @internal */
export function secretMatcher(secret: string): (candidate: string) => boolean {
  const expected = digest(secret);
  return (candidate) => timingSafeEqual(digest(candidate), expected);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
