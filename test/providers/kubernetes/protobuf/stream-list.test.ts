import { createServer, type RequestListener, type Server } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { optional } from '../../../../lib/apis/optional.ts';
import { UnreachableError } from '../../../../lib/ports/errors.ts';
import { ApiClient, type ApiClientOptions } from '../../../../lib/providers/kubernetes/client/api-client.ts';
import { listWithVersion } from '../../../../lib/providers/kubernetes/client/lists.ts';
import { podOf } from '../../../../lib/providers/kubernetes/project/project.ts';
import { POD_LIST } from '../../../../lib/providers/kubernetes/protobuf/pod.ts';
import { aListAnswer, aWirePod } from '../../../builders/protobuf.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const ANSWER = aListAnswer(Array.from({ length: 300 }, (_, index) => aWirePod(`web-${index}`, { 10: 'node-1' })));
const JSON_LIST = JSON.stringify({
  metadata: { resourceVersion: '9' },
  items: [{ metadata: { name: 'json' }, spec: { containers: [] } }],
});

let server: Server;
let endpoint: string;
let client: ApiClient;
let accepted: (string | undefined)[];
let answerProtobuf: RequestListener;

const connect = (over: Partial<ApiClientOptions> = {}): void => {
  client = new ApiClient({ endpoint, sleep: async () => undefined, ...over });
};

beforeEach(async () => {
  accepted = [];
  server = createServer((request, response) => {
    accepted.push(request.headers.accept);
    if (request.headers.accept === PROTOBUF) answerProtobuf(request, response);
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON_LIST);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  endpoint = `http://127.0.0.1:${port}`;
  connect();
});
afterEach(() => {
  client.close();
  server.closeAllConnections();
  server.close();
});

const list = (signal?: AbortSignal) =>
  listWithVersion(client, { path: '/api/v1/pods', project: podOf, protobuf: POD_LIST, ...optional({ signal }) });

test('a list is one compressed response', async () => {
  answerProtobuf = (_, response) => {
    response.writeHead(200, { 'content-type': PROTOBUF, 'content-encoding': 'gzip' }).end(gzipSync(ANSWER));
  };
  const { items, resourceVersion } = await list();
  expect(items).toHaveLength(300);
  expect(resourceVersion).toBe('7');
  expect(accepted).toHaveLength(1);
});

describe('a server that does not answer with protobuf is asked for pages of JSON', () => {
  const ANSWERS: readonly (readonly [string, RequestListener])[] = [
    [
      'it answers with JSON',
      (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
    ],
    ['it is overloaded', (_, response) => response.writeHead(503, { 'content-type': PROTOBUF }).end('k8s')],
    ['it does not support the type', (_, response) => response.writeHead(406).end()],
    ['it hangs up', (request) => request.socket.destroy()],
  ];

  test.each(ANSWERS)('%s', async (_, answer) => {
    answerProtobuf = answer;
    const { items, resourceVersion } = await list();
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['json']);
    expect(resourceVersion).toBe('9');
  });
});

describe('an incomplete list is an error', () => {
  const half = ANSWER.subarray(0, ANSWER.length / 2);
  const ANSWERS: readonly (readonly [string, RequestListener])[] = [
    ['the answer ends in good order', (_, response) => response.writeHead(200, { 'content-type': PROTOBUF }).end(half)],
    [
      'the connection breaks',
      (_, response) => {
        response.writeHead(200, { 'content-type': PROTOBUF, 'content-length': ANSWER.length });
        response.write(half, () => response.destroy());
      },
    ],
    [
      'the compressed response is cut off',
      (_, response) => {
        const zipped = gzipSync(ANSWER);
        const headers = { 'content-type': PROTOBUF, 'content-encoding': 'gzip' };
        response.writeHead(200, headers).end(zipped.subarray(0, zipped.length / 2));
      },
    ],
    [
      'it is not compressed as declared',
      (_, response) => response.writeHead(200, { 'content-type': PROTOBUF, 'content-encoding': 'gzip' }).end(ANSWER),
    ],
    ['it is something else', (_, response) => response.writeHead(200, { 'content-type': PROTOBUF }).end('<html>')],
    [
      'there is more of it',
      (_, response) => response.writeHead(200, { 'content-type': PROTOBUF }).end(aListAnswer([], { continue: 'x' })),
    ],
  ];

  test.each(ANSWERS)('%s', async (_, answer) => {
    answerProtobuf = answer;
    await expect(list()).rejects.toThrow(UnreachableError);
    await expect(list()).rejects.toThrow('list /api/v1/pods: the response is incomplete');
  });
});

describe('a list that stalls', () => {
  test.each([0, 4])(
    'ends after the time of a call without a byte, and its server is silent: %d bytes',
    async (bytes) => {
      connect({ timeoutMs: 50 });
      answerProtobuf = (_, response) => {
        response.writeHead(200, { 'content-type': PROTOBUF }).flushHeaders();
        if (bytes > 0) response.write(ANSWER.subarray(0, bytes));
      };
      await expect(list()).rejects.toThrow('list /api/v1/pods: the response is incomplete: no byte within 50 ms');
      await expect(list()).rejects.toThrow('not sent');
      expect(accepted).toHaveLength(1);
    },
  );

  test('does not end while bytes arrive, however long it takes', async () => {
    connect({ timeoutMs: 300 });
    answerProtobuf = (_, response) => {
      response.writeHead(200, { 'content-type': PROTOBUF });
      const part = Math.ceil(ANSWER.length / 8);
      let sent = 0;
      const send = setInterval(() => {
        response.write(ANSWER.subarray(sent, sent + part));
        sent += part;
        if (sent < ANSWER.length) return;
        clearInterval(send);
        response.end();
      }, 60);
    };
    expect((await list()).items).toHaveLength(300);
  });

  test('does not make a server silent that answers another call meanwhile', async () => {
    connect({ timeoutMs: 300 });
    answerProtobuf = (_, response) => {
      response.writeHead(200, { 'content-type': PROTOBUF }).flushHeaders();
      setTimeout(() => void client.send({ method: 'GET', path: '/api/v1/nodes' }), 50);
    };
    await expect(list()).rejects.toThrow('no byte within 300 ms');
    await client.expect({ method: 'GET', path: '/api/v1/nodes' });
  });

  test('ends with its run, and is not read as JSON then', async () => {
    const run = new AbortController();
    answerProtobuf = (_, response) => {
      response.writeHead(200, { 'content-type': PROTOBUF }).flushHeaders();
      setTimeout(() => run.abort(), 20);
    };
    await expect(list(run.signal)).rejects.toThrow(UnreachableError);
    answerProtobuf = () => run.abort();
    await expect(list(run.signal)).rejects.toThrow(UnreachableError);
    expect(accepted).not.toContain('application/json');
  });
});
