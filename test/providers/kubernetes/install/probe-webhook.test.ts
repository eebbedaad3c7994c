import { Buffer } from 'node:buffer';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { answerWebhook, type WebhookPorts } from '../../../../lib/controllers/webhook.ts';
import { type ProbeOptions, probeWebhook } from '../../../../lib/providers/kubernetes/install/probe-webhook.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../../../fakes/tls.ts';

const SECRET = 'xyzzy-plugh';
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
}

async function probe(
  url: string,
  options: Partial<ProbeOptions> = {},
  authority = TEST_CERTIFICATE,
): Promise<string | undefined> {
  const certificateAuthority = Buffer.from(authority).toString('base64');
  const endpoint = { url, cluster: 'demo', secret: SECRET, certificateAuthority };
  return await probeWebhook(endpoint, { needsConnection: true, ...options });
}

function saying(body: unknown, status = 200): RequestListener {
  return (_, response) => response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
}

const breaking: RequestListener = (request) => request.socket.destroy();

test('the webhook itself passes, and the probe triggers no function', async () => {
  const woken: unknown[] = [];
  const ports: WebhookPorts = {
    messages: { wake: async (...wake) => void woken.push(wake) },
    clusters: new Set(['demo']),
    isSecret: (candidate) => candidate === SECRET,
    deadline: async () => await new Promise(() => {}),
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path = ''] = (request.url ?? '').split('?');
    const body = await buffer(request);
    const said = await answerWebhook(ports, { method: request.method ?? '', path, body });
    response.writeHead(said.status).end(JSON.stringify(said.body));
  };
  const url = await serve((request, response) => void answer(request, response));
  expect(await probe(url)).toBeUndefined();
  expect(woken).toEqual([]);
});

test.each([
  ['a failure', saying('', 502), 'the webhook answered 502'],
  ['a refusal, of a secret that is not its own any more', saying({}, 404), 'the webhook answered 404'],
  ['rubbish', saying('<html>'), 'is not an AdmissionReview'],
  ['nothing', saying(''), 'is not an AdmissionReview'],
  ['a no', saying({ response: { uid: 'kerf-probe', allowed: false } }), 'is not an AdmissionReview'],
  ['another’s answer', saying({ response: { uid: 'x', allowed: true } }), 'is not an AdmissionReview'],
  ['a very long response', saying('x'.repeat(200_000)), 'the answer does not end'],
  ['a broken connection', breaking, 'did not answer: '],
] as const)('%s fails the probe', async (_, answer, why) => {
  const said = await probe(await serve(answer));
  expect(said).toContain(why);
  expect(said).not.toContain(SECRET);
});

test('a webhook that does not respond fails the probe after the timeout', async () => {
  const asked = new AbortController();
  const url = await serve(() => asked.abort());
  expect(await probe(url, { signal: asked.signal })).toBe('the webhook did not answer within 1000 ms');
});

test('an untrusted or missing endpoint fails the probe', async () => {
  const url = await serve(saying({ response: { uid: 'kerf-probe', allowed: true } }));
  expect(await probe(url, {}, '')).toContain('self-signed certificate');
  const closed = await probe('https://127.0.0.1:1/');
  expect(closed).toContain('ECONNREFUSED');
  expect(closed).not.toContain(SECRET);
});

test('without a way there from here nothing is said of it; once there is one, its failures count', async () => {
  expect(await probe('https://127.0.0.1:1/', { needsConnection: false })).toBeUndefined();
  expect(await probe(await serve(breaking), { needsConnection: false })).toContain('did not answer: ');
  expect(await probe(await serve(saying('', 502)), { needsConnection: false })).toBe('the webhook answered 502');
});
