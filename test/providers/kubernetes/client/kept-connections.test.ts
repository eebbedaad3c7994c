import { afterEach, beforeEach, expect, test } from 'vitest';
import { ApiClient } from '../../../../lib/providers/kubernetes/client/api-client.ts';
import { type ForgetfulServer, forgetfulServer } from '../../../fakes/forgetful-server.ts';

const LIST = { method: 'GET', path: '/api/v1/nodes' } as const;

let server: ForgetfulServer;
let client: ApiClient;
let nowMs: number;
let waits: number[];

beforeEach(async () => {
  server = await forgetfulServer('http', '{"items":[]}');
  nowMs = 0;
  waits = [];
  const sleep = async (ms: number) => {
    waits.push(ms);
  };
  client = new ApiClient({ endpoint: server.endpoint, timeoutMs: 500, now: () => nowMs, sleep });
});
afterEach(async () => {
  client.close();
  await server.close();
});

async function callAtOnce(count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, async () => await client.expect(LIST)));
}

test('connections are kept from one tick to the next', async () => {
  await callAtOnce(3);
  nowMs = 60_000;
  await callAtOnce(3);
  expect(server.connections()).toBe(3);
});

test('a function that was frozen does not call on the connections that it had', async () => {
  await callAtOnce(3);
  server.forget('drop');
  nowMs = 91_000;
  await client.expect(LIST);
  expect([server.connections(), waits]).toEqual([4, []]);
});

test('a connection that others were used instead of is not kept', async () => {
  await callAtOnce(3);
  nowMs = 60_000;
  await client.expect(LIST);
  nowMs = 120_000;
  await callAtOnce(3);
  expect(server.connections(), 'one of three is kept').toBe(5);
});

test('after a kept connection that was reset, the next attempt has a new one', async () => {
  await callAtOnce(13);
  server.forget('reset');
  await client.expect(LIST);
  expect([server.connections(), waits.length]).toEqual([14, 1]);
});
