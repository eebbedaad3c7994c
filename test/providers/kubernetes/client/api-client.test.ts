import { createServer, type Server } from 'node:https';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConflictError, RefusedError, UnreachableError } from '../../../../lib/ports/errors.ts';
import { ApiClient, type ApiClientOptions } from '../../../../lib/providers/kubernetes/client/api-client.ts';
import { FakeApiServer } from '../../../fakes/api-server.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../../../fakes/tls.ts';

let server: FakeApiServer;
let client: ApiClient;
let chance = 0;
let waits: number[];

function connect(over: Partial<ApiClientOptions> = {}): ApiClient {
  const sleep = async (ms: number) => {
    waits.push(ms);
  };
  client = new ApiClient({ endpoint: server.endpoint, sleep, random: () => chance, ...over });
  return client;
}

beforeEach(async () => {
  chance = 0;
  server = await FakeApiServer.start();
  waits = [];
  connect();
});
afterEach(async () => {
  client.close();
  await server.close();
});

const LIST = { method: 'GET', path: '/api/v1/nodes' } as const;

test('each request has the current token', async () => {
  let count = 0;
  connect({ token: async () => `token-${(count += 1)}` });
  await client.expect(LIST);
  await client.expect(LIST);
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2']);
});

function source(tokens: readonly string[]) {
  const refusals: (string | undefined)[] = [];
  const token = async (refused?: string) => {
    refusals.push(refused);
    return tokens[refusals.length - 1] ?? 'none';
  };
  return { token, refusals };
}

describe('a token that the server rejects', () => {
  test('is renewed once, and the call is repeated', async () => {
    server.token = 'good';
    const { token, refusals } = source(['lapsed', 'good']);
    connect({ token });
    await client.expect(LIST);
    expect(refusals).toEqual([undefined, 'lapsed']);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer lapsed', 'Bearer good']);
  });

  test('is also renewed for streamed responses', async () => {
    server.token = 'good';
    connect({ token: source(['lapsed', 'good']).token });
    const { status, body } = await client.stream(LIST, AbortSignal.timeout(5_000));
    expect([status, body.destroy().destroyed]).toEqual([200, true]);
  });

  test('and cannot be renewed is an error that names what to check', async () => {
    server.token = 'good';
    const { token } = source(['bad', 'bad']);
    connect({ token });
    await expect(client.expect(LIST)).rejects.toThrow(/401.*access entry/);
    expect(server.requests).toHaveLength(1);
    connect({ token: source(['bad', 'worse']).token });
    await expect(client.expect(LIST)).rejects.toBeInstanceOf(RefusedError);
    expect(server.requests).toHaveLength(3);
  });
});

test('responses are requested with gzip and decompressed', async () => {
  const labels = { long: 'x'.repeat(2_000) };
  server.store.put({ group: '/api/v1', resource: 'nodes', name: 'node-1' }, { metadata: { labels } });
  expect(await client.expect(LIST)).toMatchObject({ items: [{ metadata: { name: 'node-1', labels } }] });
  expect(server.requests[0]?.headers['accept-encoding']).toBe('gzip');
});

test('non-ASCII characters are kept in both directions', async () => {
  const body = { metadata: { name: 'e', annotations: { note: 'Größe ✓' } } };
  await client.expect({ method: 'POST', path: '/apis/events.k8s.io/v1/namespaces/default/events', body });
  expect(server.requests[0]?.body).toEqual(body);
});

async function listenWithTls(): Promise<{ readonly secure: Server; readonly endpoint: string }> {
  const secure = createServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"items":[]}');
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  secure.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = secure.address();
  if (address === null || typeof address === 'string') throw new Error('the TLS server does not listen');
  return { secure, endpoint: `https://127.0.0.1:${address.port}` };
}

describe('TLS', () => {
  test('only a server with a certificate of the cluster’s authority is trusted', async () => {
    const { secure, endpoint } = await listenWithTls();
    connect({ endpoint, certificateAuthority: TEST_CERTIFICATE });
    expect(await client.expect(LIST)).toEqual({ items: [] });
    client.close();
    connect({ endpoint });
    await expect(client.expect(LIST)).rejects.toThrow(/self-signed/);
    secure.closeAllConnections();
    secure.close();
  });
});

describe('retries', () => {
  test('a request to an overloaded server is repeated after Retry-After', async () => {
    server.failNext({ kind: 'status', status: 429, retryAfterSeconds: 1 }, { kind: 'status', status: 503 });
    await client.expect(LIST);
    expect(waits).toEqual([1_000, 200]);
  });

  test('requests that were rejected together are repeated at different times, and none too early', async () => {
    chance = 0.5;
    server.failNext({ kind: 'status', status: 429, retryAfterSeconds: 1 }, { kind: 'status', status: 503 });
    await client.expect(LIST);
    expect(waits).toEqual([1_250, 250]);
  });

  test('a lost connection is tried again', async () => {
    server.failNext({ kind: 'reset' });
    await client.expect(LIST);
    expect(server.requests).toHaveLength(2);
  });

  test('after three tries it is unreachable', async () => {
    server.failNext(...Array.from({ length: 5 }, () => ({ kind: 'status', status: 500 }) as const));
    await expect(client.expect(LIST)).rejects.toBeInstanceOf(UnreachableError);
    expect(server.requests).toHaveLength(3);
  });

  test('a Retry-After that is too long is an error', async () => {
    server.failNext({ kind: 'status', status: 429, retryAfterSeconds: 60 });
    await expect(client.expect(LIST)).rejects.toBeInstanceOf(UnreachableError);
    expect(server.requests).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  test('other statuses are not repeated', async () => {
    server.failNext({ kind: 'status', status: 429 });
    expect(await client.send({ ...LIST, isFinal: ({ status }) => status === 429 })).toMatchObject({ status: 429 });
    expect(server.requests).toHaveLength(1);
  });

  test('a server that does not respond is an error after one timeout', async () => {
    connect({ timeoutMs: 50 });
    server.failNext({ kind: 'hang' }, { kind: 'hang' }, { kind: 'hang' });
    await expect(client.expect(LIST)).rejects.toBeInstanceOf(UnreachableError);
    expect(server.requests).toHaveLength(1);
  });

  test('a refused connection is unreachable, with the reason', async () => {
    await server.close();
    await expect(client.expect(LIST)).rejects.toThrow(/no answer.*ECONNREFUSED/);
    server = await FakeApiServer.start();
  });
});

describe('a silent server', () => {
  test('is not called for 20 s after a call without an answer, and then again', async () => {
    let nowMs = 0;
    connect({ timeoutMs: 50, now: () => nowMs });
    server.failNext({ kind: 'hang' });
    await expect(client.expect(LIST)).rejects.toThrow(/no answer/);
    nowMs = 19_000;
    await expect(client.expect(LIST)).rejects.toThrow(/not sent: .* called again in 1 s/);
    await expect(client.stream(LIST, AbortSignal.timeout(1_000))).rejects.toBeInstanceOf(UnreachableError);
    expect(server.requests).toHaveLength(1);
    nowMs = 20_000;
    await client.expect(LIST);
  });

  test('is one that answers no call: one slow call does not stop the others', async () => {
    let nowMs = 0;
    connect({ timeoutMs: 300, now: () => (nowMs += 1) });
    server.failNext({ kind: 'hang' });
    const slow = client.expect(LIST);
    await client.expect(LIST);
    await expect(slow).rejects.toThrow(/no answer/);
    await client.expect(LIST);
  });

  test('is not one that answers other calls than a write, which may wait for an admission webhook', async () => {
    const write = { method: 'PATCH', path: '/api/v1/nodes/node-1', body: {} } as const;
    connect({ timeoutMs: 50 });
    server.failNext({ kind: 'hang' });
    await expect(client.expect(write)).rejects.toThrow(/no answer/);
    await client.expect(LIST);
    server.failNext({ kind: 'hang' }, { kind: 'hang' });
    await expect(client.expect(write)).rejects.toThrow(/no answer/);
    await expect(client.expect(LIST)).rejects.toThrow(/not sent/);
  });

  test('does not hold a streamed list for longer than its time limit', async () => {
    connect({ streamTimeoutMs: 50 });
    server.failNext({ kind: 'hang' });
    await expect(client.stream(LIST, AbortSignal.timeout(10_000))).rejects.toThrow(/no response within the time limit/);
    await expect(client.expect(LIST)).rejects.toThrow(/not sent/);
  });

  describe('may be one to which no connection can be made', () => {
    test('after two tries, further calls are not sent for 20 s', async () => {
      let nowMs = 0;
      const stalled = await listenWithoutTls();
      connect({ endpoint: stalled.endpoint, connectTimeoutMs: 50, now: () => nowMs });
      await expect(client.expect(LIST)).rejects.toThrow(/no connection within 50 ms/);
      expect(waits).toHaveLength(1);
      nowMs = 19_000;
      await expect(client.expect(LIST)).rejects.toThrow(/not sent: .* called again in 1 s/);
      expect(stalled.connections()).toBe(2);
      nowMs = 20_000;
      await expect(client.expect(LIST)).rejects.toThrow(/no connection/);
      await stalled.close();
    });

    test('a write to it shows so without a call of /version', async () => {
      const stalled = await listenWithoutTls();
      connect({ endpoint: stalled.endpoint, connectTimeoutMs: 50 });
      const write = { method: 'PATCH', path: '/api/v1/nodes/node-1', body: {} } as const;
      await expect(client.expect(write)).rejects.toThrow(/no connection/);
      await expect(client.expect(LIST)).rejects.toThrow(/not sent/);
      expect(stalled.connections()).toBe(2);
      await stalled.close();
    });

    test('not by the one connection of a streamed list, which is read again with two', async () => {
      const stalled = await listenWithoutTls();
      connect({ endpoint: stalled.endpoint, connectTimeoutMs: 50 });
      await expect(client.stream(LIST, AbortSignal.timeout(10_000))).rejects.toThrow(/no connection/);
      await expect(client.expect(LIST)).rejects.toThrow(/no connection/);
      await expect(client.expect(LIST)).rejects.toThrow(/not sent/);
      expect(stalled.connections()).toBe(3);
      await stalled.close();
    });
  });
});

/** A server that accepts connections and never answers the TLS handshake. */
async function listenWithoutTls(): Promise<{
  readonly endpoint: string;
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}> {
  const accepted: Socket[] = [];
  const stalled = createTcpServer((socket) => void accepted.push(socket));
  const listening = Promise.withResolvers<void>();
  stalled.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  const address = stalled.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const close = async (): Promise<void> => {
    const closed = Promise.withResolvers<void>();
    for (const socket of accepted) socket.destroy();
    stalled.close(() => closed.resolve());
    await closed.promise;
  };
  return { endpoint: `https://127.0.0.1:${port}`, connections: () => accepted.length, close };
}

describe('errors', () => {
  test.each([
    [401, RefusedError, /access entry/],
    [403, RefusedError, /ClusterRole/],
    [404, RefusedError, /404/],
    [409, ConflictError, /409/],
    [422, RefusedError, /422/],
  ])('%i', async (status, type, message) => {
    server.failNext({ kind: 'status', status });
    const failed = client.expect(LIST);
    await expect(failed).rejects.toBeInstanceOf(type);
    await expect(failed).rejects.toThrow(message);
  });

  test.each([
    ['admission webhook "nodes.example.com" denied the request: locked', /the webhook or the policy that denies it/],
    [
      `ValidatingAdmissionPolicy 'own' with binding 'own' denied request: locked`,
      /the webhook or the policy that denies it/,
    ],
    ['pods "a" is forbidden: exceeded quota: own', /raise the ResourceQuota/],
    ['pods is forbidden: User "kerf" cannot list resource "pods"', /check the ClusterRole/],
  ])('403 names what refuses: %s', async (message, advice) => {
    server.failNext({ kind: 'status', status: 403, message });
    await expect(client.expect(LIST)).rejects.toThrow(advice);
  });

  test.each([404, 409, 429])('a denial of an admission webhook with the status %i is a refusal', async (status) => {
    const message = 'admission webhook "nodes.example.com" denied the request: locked';
    server.failNext({ kind: 'status', status, message });
    await expect(client.send(LIST)).resolves.toMatchObject({ status: 422, body: { message } });
    expect(server.requests, 'it is not repeated at once').toHaveLength(1);
    server.failNext({ kind: 'status', status, message: `nodes "a" not found, denied the request` });
    await expect(client.send({ ...LIST, isFinal: () => true })).resolves.toMatchObject({ status });
  });

  test('errors do not contain the token', async () => {
    server.token = 'right';
    connect({ token: async () => 'very-secret' });
    const failed: unknown = await client.expect(LIST).catch((error: unknown) => error);
    server.failNext({ kind: 'reset' }, { kind: 'reset' }, { kind: 'reset' });
    const lost: unknown = await client.expect(LIST).catch((error: unknown) => error);
    for (const error of [failed, lost]) {
      expect(error).toBeInstanceOf(Error);
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error)) + String(error)).not.toContain('very-secret');
    }
  });
});
