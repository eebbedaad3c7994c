import type { LambdaFunctionURLEvent, LambdaFunctionURLResult } from 'aws-lambda';
import { answerWebhook } from '../../lib/controllers/webhook.ts';
import { wireWebhook } from '../../lib/operator/wiring/webhook.ts';

const { ports, telemetry } = wireWebhook();

/** Called by the API server of a cluster, through the Function URL. */
export async function handler(event: LambdaFunctionURLEvent): Promise<LambdaFunctionURLResult> {
  const { status, body, failures } = await answerWebhook(ports, {
    method: event.requestContext.http.method,
    path: event.rawPath,
    body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
  });
  for (const failure of failures) telemetry.error('failed to send a wake', failure, {});
  return { statusCode: status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
