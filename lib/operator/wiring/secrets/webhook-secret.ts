/** Wires the function that makes the secret of a webhook, which has no permissions. */

import { randomInt } from 'node:crypto';
import { optional } from '../../../apis/optional.ts';
import { isAnswerAddress } from '../../lambda/answer-address.ts';
import { putAnswer } from '../../lambda/cloudformation-request.ts';
import type { SecretRuntime } from '../../lambda/secret-resource.ts';
import { endpointOf } from '../../options/installer-options.ts';
import { type Environment, readVariable } from '../../options/options.ts';
import { telemetryOf } from '../../telemetry/telemetry.ts';

/** A URL path carries these characters unchanged. */
const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const LENGTH = 40;

/** *Errors:* OptionError. */
export function wireWebhookSecret(environment: Environment = process.env): SecretRuntime {
  const region = readVariable(environment, 'AWS_REGION');
  const endpoint = endpointOf(environment, 'S3');
  return {
    telemetry: telemetryOf('webhook-secret'),
    put: putAnswer,
    isAnswerAddress: (url) => isAnswerAddress(url, { region, ...optional({ endpoint }) }),
    newText: () => Array.from({ length: LENGTH }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join(''),
  };
}
