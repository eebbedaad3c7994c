import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { functionUrlEvent, loadWebhook, SECRET, type WebhookFunction } from './webhook-function.ts';

let webhook: WebhookFunction;

beforeAll(async () => {
  webhook = await loadWebhook();
});
beforeEach(() => {
  webhook.sent.length = 0;
});
afterAll(() => webhook.close());

const REVIEW = JSON.stringify({
  kind: 'AdmissionReview',
  apiVersion: 'admission.k8s.io/v1',
  request: { uid: 'b9f7', resource: { group: 'events.k8s.io', version: 'v1', resource: 'events' } },
});

/** What SQS is sent for it. */
function wake(): unknown {
  return {
    QueueUrl: process.env['PROVISIONING_QUEUE_URL'],
    MessageBody: '{"cluster":"demo","reason":"webhook"}',
    DelaySeconds: 0,
  };
}

test('a review becomes a message, and its uid the answer', async () => {
  const result = await webhook.handler(functionUrlEvent({ body: REVIEW }));
  expect(result).toMatchObject({ statusCode: 200, headers: { 'content-type': 'application/json' } });
  expect(result).toHaveProperty('body', expect.stringContaining('"response":{"uid":"b9f7","allowed":true}'));
  expect(webhook.sent).toEqual([wake()]);
});

test('a body in base64 is the same body', async () => {
  const body = Buffer.from(REVIEW).toString('base64');
  expect(await webhook.handler(functionUrlEvent({ body, isBase64Encoded: true }))).toMatchObject({ statusCode: 200 });
  expect(webhook.sent).toEqual([wake()]);
});

test.each([
  [404, functionUrlEvent({ body: REVIEW, rawPath: '/demo/wrong' })],
  [404, functionUrlEvent({ body: REVIEW, rawPath: '/', rawQueryString: `secret=${SECRET}` })],
  [405, functionUrlEvent({ body: REVIEW }, 'GET')],
  [400, functionUrlEvent({ body: 'bm90IGpzb24=', isBase64Encoded: true })],
  [413, functionUrlEvent({ body: 'x'.repeat(256 * 1024 + 1) })],
])('%i sends nothing', async (statusCode, event) => {
  expect(await webhook.handler(event)).toMatchObject({ statusCode });
  expect(webhook.sent).toEqual([]);
});
