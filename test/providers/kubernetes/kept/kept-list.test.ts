import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ApiClient } from '../../../../lib/providers/kubernetes/client/api-client.ts';
import {
  KubernetesCluster,
  type KubernetesClusterOptions,
} from '../../../../lib/providers/kubernetes/kubernetes-cluster.ts';
import { FakeApiServer } from '../../../fakes/api-server.ts';

const PATIENCE = { quietMs: 20, silentMs: 60, bookmarkMs: 80, longestMs: 2_000 };

let server: FakeApiServer;
let client: ApiClient;
let cluster: KubernetesCluster;
let told: string[];
let nowMs: number;

function connect(over: Partial<KubernetesClusterOptions> = {}): void {
  const tell = (message: string, fields: object) => told.push(`${message} ${JSON.stringify(fields)}`);
  cluster = new KubernetesCluster({
    client,
    clock: { now: () => nowMs },
    keptFrom: 1,
    patience: PATIENCE,
    tell,
    ...over,
  });
}

beforeEach(async () => {
  server = await FakeApiServer.start();
  client = new ApiClient({ endpoint: server.endpoint, sleep: async () => undefined });
  told = [];
  nowMs = 0;
  connect();
  for (const name of ['web-1', 'web-2', 'web-3']) put(name);
  await cluster.listPods();
  server.requests.length = 0;
});
afterEach(async () => {
  // Nothing outlives a read.
  await vi.waitFor(() => expect(server.watches.open.size).toBe(0));
  client.close();
  await server.close();
});

const pod = (name: string) => ({ group: '/api/v1', resource: 'pods', namespace: 'default', name });

function put(name: string, over: { readonly labels?: object; readonly nodeName?: string } = {}): void {
  const { nodeName, ...metadata } = over;
  server.store.put(pod(name), {
    metadata,
    spec: { containers: [{ name: 'main' }], ...(nodeName === undefined ? {} : { nodeName }) },
  });
}

const names = async () => (await cluster.listPods()).map(({ metadata }) => metadata.name);
const asked = () =>
  server.requests.map(({ query }) =>
    query.get('watch') === '1' ? `watch ${query.get('resourceVersion')}` : `list ${query.get('limit')}`,
  );

describe('a cached list', () => {
  test('is updated by a watch with created, changed and deleted objects, and not listed again', async () => {
    put('web-0');
    put('web-1', { labels: { app: 'web', long: 'x'.repeat(2_000) } });
    server.store.remove(pod('web-2'));
    expect(await names()).toEqual(['web-0', 'web-1', 'web-3']);
    expect((await cluster.listPods())[1]?.metadata.labels).toMatchObject({ app: 'web' });
    expect(asked()).toEqual(['list 1', 'watch 102', 'list 1']);
    expect(told).toEqual([]);
  });

  test('is current if nothing has changed', async () => {
    expect(await names()).toHaveLength(3);
    expect(asked()).toEqual(['list 1']);
  });

  test('is current if only other kinds changed and the last known change is sent again', async () => {
    server.store.pass();
    expect(await names()).toHaveLength(3);
    expect(asked()).toEqual(['list 1', 'watch 102']);
  });

  test('is not used if the stream is silent: another stream is tried, then a complete list', async () => {
    server.store.remove(pod('web-2'));
    server.watches.failNext({ kind: 'stall', after: 0 });
    expect(await names()).toEqual(['web-1', 'web-3']);
    expect(asked()).toEqual(['list 1', 'watch 102', 'watch 102']);
    server.store.remove(pod('web-3'));
    server.watches.failNext({ kind: 'stall', after: 0 }, { kind: 'stall', after: 0 });
    expect(await names()).toEqual(['web-1']);
    expect(asked().slice(3)).toEqual(['list 1', 'watch 103', 'watch 103', 'list 500']);
    expect(told.join()).toContain('watch did not catch up');
  });

  test('continues to read if the stream delays a pod that exists', async () => {
    put('web-4');
    server.store.pass();
    server.watches.failNext({ kind: 'stall', after: 1 });
    expect(await names()).toHaveLength(4);
  });

  test('continues to read if the stream breaks', async () => {
    put('web-4');
    put('web-5');
    server.watches.failNext({ kind: 'break', after: 1 });
    expect(await names()).toHaveLength(5);
    expect(asked()).not.toContain('list 500');
  });

  test.each([
    { kind: 'status', status: 410 },
    { kind: 'error', code: 410 },
  ] as const)('is listed again if its version has expired: $kind', async (fault) => {
    put('web-4');
    server.watches.failNext(fault, fault);
    expect(await names()).toHaveLength(4);
    expect(asked()).toEqual(['list 1', 'watch 102', 'watch 103', 'list 500']);
  });

  test('is watched from its own version if only the last known change has expired', async () => {
    server.store.pass();
    server.store.compact();
    await names();
    server.requests.length = 0;
    put('web-4');
    expect(await names()).toHaveLength(4);
    expect(asked()).toEqual(['list 1', 'watch 102', 'watch 104']);
  });

  test.each([
    { kind: 'status', status: 403 },
    { kind: 'status', status: 504 },
    { kind: 'error', code: 500 },
    { kind: 'garbage' },
  ] as const)('is listed again if watches fail: %j', async (fault) => {
    put('web-4');
    server.watches.failNext(fault, fault);
    expect(await names()).toHaveLength(4);
    expect(asked().at(-1)).toBe('list 500');
  });

  test('contains the changes of the same run', async () => {
    const [target] = await cluster.listPods();
    await cluster.evictPod({ namespace: 'default', name: 'web-1', uid: target?.metadata.uid ?? '' });
    server.watches.failNext({ kind: 'stall', after: 1 }, { kind: 'stall', after: 1 });
    expect(await names()).toEqual(['web-2', 'web-3']);
  });

  test('may be late if the server delays a change, and never goes back in time', async () => {
    put('web-1', { labels: { version: '2' } });
    put('web-1', { labels: { version: '3' } });
    server.watches.failNext({ kind: 'stall', after: 2 });
    expect((await cluster.listPods())[0]?.metadata.labels).toEqual({ version: '2' });
    expect((await cluster.listPods())[0]?.metadata.labels).toEqual({ version: '3' });
  });
});

describe('a completed run', () => {
  test('closes its watches, and the next one continues from the last known version', async () => {
    put('web-4');
    connect({ patience: { ...PATIENCE, bookmarkMs: 60_000, longestMs: 60_000 } });
    await cluster.listPods();
    put('web-5');
    server.watches.failNext({ kind: 'stall', after: 0 });
    const given = cluster.listPods();
    await vi.waitFor(() => expect(server.watches.open.size).toBe(1));
    cluster.endRun();
    await expect(given).rejects.toThrow(/its run has ended/);
    await vi.waitFor(() => expect(server.watches.open.size).toBe(0));
    server.requests.length = 0;
    expect(await names()).toHaveLength(5);
    expect(asked()).toEqual(['list 1', 'watch 103']);
  });
});

describe('the cache', () => {
  test('does not contain lists above the limit, which is logged', async () => {
    connect({ keptBytes: 1_000 });
    await cluster.listPods();
    server.requests.length = 0;
    await cluster.listPods();
    expect(asked()).toEqual(['list 500']);
    expect(told[0]).toMatch(/too large to be cached.*"limitBytes":1000/);
  });

  test('is removed when it has grown too large', async () => {
    connect({ keptBytes: 3_000 });
    await cluster.listPods();
    for (let index = 0; index < 20; index += 1) put(`more-${index}`);
    expect(await names()).toHaveLength(23);
    server.requests.length = 0;
    expect(await names()).toHaveLength(23);
    expect(asked()).toEqual(['list 500']);
  });

  test('does not contain small lists', async () => {
    connect({ keptFrom: 4 });
    await cluster.listPods();
    server.requests.length = 0;
    await cluster.listPods();
    expect(asked()).toEqual(['list 500']);
  });
});

describe('the first read', () => {
  test('is what the whole look of the same run catches up with', async () => {
    put('web-1', { nodeName: 'node-1' });
    expect(await cluster.listUnboundPods()).toHaveLength(2);
    expect(await names()).toHaveLength(3);
    expect(server.requests.map(({ query }) => query.get('fieldSelector') ?? query.get('watch'))).toEqual([
      'spec.nodeName=',
      '1',
    ]);
  });

  test('of another run is none: the cluster is asked where it is now', async () => {
    await cluster.listUnboundPods();
    nowMs += 60_000;
    await names();
    expect(asked()).toEqual(['list 500', 'list 1']);
    await cluster.listUnboundPods();
    await names();
    await names();
    expect(asked().slice(2)).toEqual(['list 500', 'list 1']);
  });

  test('tells of a pod that was bound and not heard of', async () => {
    put('web-1', { nodeName: 'node-1' });
    server.store.pass();
    server.watches.failNext({ kind: 'stall', after: 1 });
    await cluster.listUnboundPods();
    expect((await cluster.listPods())[0]?.spec.nodeName).toBe('node-1');
    expect(asked()).toEqual(['list 500', 'watch 102', 'watch 102']);
  });
});
