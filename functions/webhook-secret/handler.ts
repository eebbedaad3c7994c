import { answerSecretRequest } from '../../lib/operator/lambda/secret-resource.ts';
import { wireWebhookSecret } from '../../lib/operator/wiring/secrets/webhook-secret.ts';

const runtime = wireWebhookSecret();

/** Called by CloudFormation when a webhook is created, when its secret is rotated, and when it is deleted. */
export async function handler(event: unknown): Promise<void> {
  await answerSecretRequest(runtime, event);
}
