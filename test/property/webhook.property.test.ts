/** The webhook's address is public. No request crashes it or reveals its secret; only requests with the secret wake functions. */
import { Buffer } from 'node:buffer';
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import type { LambdaFunctionURLEvent } from 'aws-lambda';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ANSWER_WITHIN_MS, MAX_REQUEST_BODY_BYTES } from '../../lib/controllers/webhook.ts';
import { functionUrlEvent, listen, loadWebhook, SECRET, type WebhookFunction } from '../functions/webhook-function.ts';
import { heard } from '../heard.ts';
import { at } from '../stack/json.ts';

const RUN = { seed: 20_260_131, numRuns: 1_000 };
const RIGHT = `/demo/${SECRET}`;

let webhook: WebhookFunction;

beforeAll(async () => {
  webhook = await loadWebhook();
});
afterEach(() => {
  webhook.queue.answers = 'accepts';
});
afterAll(() => webhook.close());

const near = fc.constantFrom(
  '/',
  '//',
  '/demo',
  '/demo/',
  `/demo//${SECRET}`,
  `//demo/${SECRET}`,
  `/demo/${SECRET}/`,
  `/demo/${SECRET}/${SECRET}`,
  `/demo/${SECRET.toLowerCase()}`,
  `/demo/${SECRET.slice(0, -1)}`,
  `/demo/${SECRET}%00`,
  `/demo/%61${SECRET.slice(1)}`,
  `/demo/${SECRET}?x`,
  `/${SECRET}/demo`,
  `/other/${SECRET}`,
  `/__proto__/${SECRET}`,
  `/constructor/${SECRET}`,
  `/../demo/${SECRET}`,
  `/demo/${SECRET.repeat(500)}`,
);
const path = fc.oneof(
  { weight: 8, arbitrary: fc.constant(RIGHT) },
  { weight: 3, arbitrary: near },
  fc.webPath(),
  fc.string({ unit: 'binary' }),
  fc.string().map((secret) => `/demo/${secret}`),
);

const resource = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      'events',
      'nodes',
      'nodeclaims',
      'nodepools',
      'ec2nodeclasses',
      'probes',
      'constructor',
      '__proto__',
    ),
  },
  fc.string(),
);
/** A review of which each part is valid or arbitrary. */
const review = fc.record(
  {
    kind: fc.oneof({ weight: 9, arbitrary: fc.constant('AdmissionReview') }, fc.jsonValue()),
    apiVersion: fc.oneof({ weight: 9, arbitrary: fc.constant('admission.k8s.io/v1') }, fc.jsonValue()),
    request: fc.oneof(
      {
        weight: 9,
        arbitrary: fc.record(
          {
            uid: fc.oneof({ weight: 9, arbitrary: fc.uuid() }, fc.jsonValue()),
            resource: fc.oneof({ weight: 9, arbitrary: fc.record({ resource }) }, fc.jsonValue()),
            name: fc.oneof(fc.string({ unit: 'binary' }), fc.constant('x'.repeat(100_000)), fc.jsonValue()),
            object: fc.oneof(fc.constant({ reportingController: 'kerf' }), { weight: 5, arbitrary: fc.jsonValue() }),
          },
          { requiredKeys: ['uid', 'resource'] },
        ),
      },
      fc.jsonValue(),
    ),
  },
  { requiredKeys: ['kind', 'apiVersion', 'request'] },
);
const body = fc.oneof(
  { weight: 12, arbitrary: review.map((one) => JSON.stringify(one)) },
  fc.json(),
  fc.string({ unit: 'binary' }),
  fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  fc.constantFrom('', '{', 'null', '"', '['.repeat(200_000), '{"a":'.repeat(40_000), '\uFEFF{}', '1e999'),
  fc
    .tuple(review, fc.integer({ min: MAX_REQUEST_BODY_BYTES - 500, max: MAX_REQUEST_BODY_BYTES + 500 }))
    .map(([one, length]) => JSON.stringify(one).padEnd(length)),
);

const call = fc.record({
  path,
  method: fc.oneof({ weight: 6, arbitrary: fc.constant('POST') }, fc.constantFrom('GET', 'PUT', 'HEAD', 'TRACE', '')),
  body: fc.option(body, { nil: undefined }),
  isBase64Encoded: fc.boolean(),
  headers: fc.dictionary(fc.string(), fc.string({ unit: 'binary' }), { maxKeys: 5 }),
  queue: fc.constantFrom('accepts', 'accepts', 'refuses', 'breaks'),
});
type Call = typeof call extends fc.Arbitrary<infer One> ? One : never;

function eventOf({ path: rawPath, method, headers, isBase64Encoded, body: said }: Call): LambdaFunctionURLEvent {
  const encoded = isBase64Encoded ? Buffer.from(said ?? '').toString('base64') : said;
  return functionUrlEvent(
    { rawPath, headers, isBase64Encoded, ...(encoded !== undefined && { body: encoded }) },
    method,
  );
}

test('no call crashes, no call without the secret sends a message, and no response or log line contains the secret', async () => {
  const seen = new Map<unknown, number>();
  let messages = 0;
  let lines = 0;
  // A call that ends at its time limit may send its message during a later one.
  let late = 0;
  const check = async (one: Call): Promise<void> => {
    webhook.sent.length = 0;
    webhook.queue.answers = one.queue;
    let result: unknown;
    const startMs = performance.now();
    const log = await heard(async () => {
      result = await webhook.handler(eventOf(one));
    });
    const status = at(result, 'statusCode');
    expect([200, 400, 404, 405, 413]).toContain(status);
    expect(JSON.stringify(result)).not.toContain(SECRET);
    expect(log).not.toContain(SECRET);
    if (one.path !== RIGHT) expect(status).toBe(404);
    const own = status === 200 ? 1 : 0;
    expect(webhook.sent.length).toBeLessThanOrEqual(own + late);
    for (const message of webhook.sent) expect(JSON.stringify(message).length).toBeLessThan(1_000);
    late -= Math.max(0, webhook.sent.length - own);
    if (performance.now() - startMs >= ANSWER_WITHIN_MS - 5) late += own;
    seen.set(status, (seen.get(status) ?? 0) + 1);
    messages += webhook.sent.length;
    lines += log === '' ? 0 : 1;
  };
  await fc.assert(fc.asyncProperty(call, check), RUN);
  // The test covers something only if every response occurred, with messages and with failures.
  expect([...seen.keys()].map(Number).toSorted((a, b) => a - b)).toEqual([200, 400, 404, 405, 413]);
  expect(messages).toBeGreaterThan(20);
  expect(lines).toBeGreaterThan(20);
});

/** The event that Lambda's endpoint makes from an HTTP request. */
async function translate(incoming: IncomingMessage): Promise<LambdaFunctionURLEvent> {
  const [rawPath = '', ...rawQueryString] = (incoming.url ?? '').split('?');
  const isText = /json|text/.test(incoming.headers['content-type'] ?? '');
  const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
  const said = await buffer(incoming);
  return functionUrlEvent(
    {
      rawPath,
      rawQueryString: rawQueryString.join('?'),
      headers,
      isBase64Encoded: !isText,
      body: said.toString(isText ? 'utf8' : 'base64'),
    },
    incoming.method ?? '',
  );
}

test('the same holds over HTTP', async () => {
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const result: unknown = await webhook.handler(await translate(incoming));
    response.writeHead(Number(at(result, 'statusCode'))).end(String(at(result, 'body')));
  };
  const gateway = createServer((incoming, response) => void answer(incoming, response));
  const endpoint = await listen(gateway);
  const httpCall = fc.record({
    path: fc.oneof(
      { weight: 4, arbitrary: fc.constant(RIGHT) },
      near,
      fc.webPath({ size: 'small' }).map((one) => `/${one}`),
    ),
    method: fc.oneof({ weight: 4, arbitrary: fc.constant('POST') }, fc.constantFrom('GET', 'PUT', 'DELETE', 'OPTIONS')),
    contentType: fc.constantFrom('application/json', 'application/octet-stream', 'text/plain'),
    body: fc.oneof(
      body,
      fc.uint8Array({ maxLength: 5_000 }).map((bytes) => Buffer.from(bytes)),
    ),
  });
  type HttpCall = typeof httpCall extends fc.Arbitrary<infer One> ? One : never;
  const ask = async (one: HttpCall): Promise<{ readonly status: number; readonly said: string }> => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const headers = { 'content-type': one.contentType, 'content-length': Buffer.byteLength(one.body) };
    const sending = send(endpoint, { path: one.path, method: one.method, headers }, resolve);
    sending.on('error', reject);
    sending.end(one.body);
    const response = await promise;
    return { status: response.statusCode ?? 0, said: await text(response) };
  };
  try {
    let allowed = 0;
    const check = async (one: HttpCall): Promise<void> => {
      webhook.sent.length = 0;
      let answered: Awaited<ReturnType<typeof ask>> = { status: 0, said: '' };
      const log = await heard(async () => {
        answered = await ask(one);
      });
      const { status, said } = answered;
      expect([200, 400, 404, 405, 413]).toContain(status);
      expect(`${log}${said}`).not.toContain(SECRET);
      const [route] = one.path.split('?');
      if (route !== RIGHT) expect(status).toBe(404);
      if (status !== 200) expect(webhook.sent).toEqual([]);
      allowed += status === 200 ? 1 : 0;
    };
    await fc.assert(fc.asyncProperty(httpCall, check), { ...RUN, numRuns: 300 });
    expect(allowed).toBeGreaterThan(10);
  } finally {
    gateway.closeAllConnections();
    gateway.close();
  }
});
