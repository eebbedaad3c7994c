import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { LambdaFunctionURLEvent, LambdaFunctionURLResult } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';

const SECRET = 'a1b2c3';
const sent: unknown[] = [];
let sqs: Server;
let handler: (event: LambdaFunctionURLEvent) => Promise<LambdaFunctionURLResult>;

/** SQS, as far as the webhook needs it. */
async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const message: unknown = JSON.parse(await text(request));
  sent.push(message);
  const said = String(Reflect.get(Object(message), 'MessageBody'));
  const MD5OfMessageBody = createHash('md5').update(said).digest('hex');
  response.setHeader('content-type', 'application/x-amz-json-1.0').end(JSON.stringify({ MD5OfMessageBody }));
}

/** The handler wires itself when it is loaded, as in Lambda: what it must know is there before. */
beforeAll(async () => {
  sqs = createServer((request, response) => void receive(request, response));
  await new Promise<void>((resolve) => sqs.listen(0, '127.0.0.1', resolve));
  const address = sqs.address();
  const endpoint = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  vi.stubEnv('AWS_ENDPOINT_URL', endpoint);
  vi.stubEnv('AWS_REGION', 'eu-west-3');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  vi.stubEnv('CLUSTERS', '{"demo":{}}');
  vi.stubEnv('WEBHOOK_SECRET', SECRET);
  for (const target of ['PROVISIONING', 'LIFECYCLE']) {
    vi.stubEnv(`${target}_QUEUE_URL`, `${endpoint}/123456789012/${target}`);
  }
  ({ handler } = await import('../../functions/webhook/handler.ts'));
});

beforeEach(() => {
  sent.length = 0;
});

afterAll(() => {
  vi.unstubAllEnvs();
  sqs.closeAllConnections();
  sqs.close();
});

const REVIEW = JSON.stringify({
  kind: 'AdmissionReview',
  apiVersion: 'admission.k8s.io/v1',
  request: { uid: 'b9f7', resource: { group: 'events.k8s.io', version: 'v1', resource: 'events' } },
});

function call(overrides: Partial<LambdaFunctionURLEvent> = {}, method = 'POST'): LambdaFunctionURLEvent {
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: `/demo/${SECRET}`,
    rawQueryString: 'timeout=1s',
    headers: {},
    isBase64Encoded: false,
    body: REVIEW,
    requestContext: {
      accountId: 'anonymous',
      apiId: 'url',
      domainName: 'url.lambda-url.eu-west-3.on.aws',
      domainPrefix: 'url',
      http: {
        method,
        path: `/demo/${SECRET}`,
        protocol: 'HTTP/1.1',
        sourceIp: '192.0.2.1',
        userAgent: 'kube-apiserver',
      },
      requestId: '1',
      routeKey: '$default',
      stage: '$default',
      time: '',
      timeEpoch: 0,
    },
    ...overrides,
  };
}

/** What SQS is sent for it. */
function wake(): unknown {
  return {
    QueueUrl: process.env['PROVISIONING_QUEUE_URL'],
    MessageBody: '{"cluster":"demo","reason":"webhook"}',
    DelaySeconds: 0,
  };
}

test('a review becomes a message, and its uid the answer', async () => {
  const result = await handler(call());
  expect(result).toMatchObject({ statusCode: 200, headers: { 'content-type': 'application/json' } });
  expect(result).toHaveProperty('body', expect.stringContaining('"response":{"uid":"b9f7","allowed":true}'));
  expect(sent).toEqual([wake()]);
});

test('a body in base64 is the same body', async () => {
  const body = Buffer.from(REVIEW).toString('base64');
  expect(await handler(call({ body, isBase64Encoded: true }))).toMatchObject({ statusCode: 200 });
  expect(sent).toEqual([wake()]);
});

test.each([
  [404, call({ rawPath: '/demo/wrong' })],
  [405, call({}, 'GET')],
  [400, call({ body: 'bm90IGpzb24=', isBase64Encoded: true })],
  [413, call({ body: 'x'.repeat(256 * 1024 + 1) })],
])('%i sends nothing', async (statusCode, event) => {
  expect(await handler(event)).toMatchObject({ statusCode });
  expect(sent).toEqual([]);
});
