/** What is kept of a cluster, on a real API server: its watch, its forgetfulness and its restarts. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { ApiClient } from '../../lib/providers/kubernetes/client/api-client.ts';
import { KubernetesCluster } from '../../lib/providers/kubernetes/kubernetes-cluster.ts';
import { type Random, randomFrom } from '../../lib/simulator/random.ts';
import type { ControlPlane } from '../../scripts/control-plane.ts';
import { startOwnControlPlane } from '../rig/own-control-plane.ts';
import { adminClient, callApi, mergePatch, succeed } from './support/api-client.ts';

const NAMES = Array.from({ length: 30 }, (_, index) => `pod-${index}`);
const NAMESPACES = ['shop', 'web'];
/** Two seconds before the end of a watch of four. */
const BOOKMARK_MS = 2_000;
const clock = { now: () => Date.now() };

let controlPlane: ControlPlane;
let client: ApiClient;
let kept: KubernetesCluster;
let fresh: KubernetesCluster;
let told: string[];

beforeAll(async () => {
  controlPlane = await startOwnControlPlane();
});
afterAll(async () => await controlPlane.stop());

beforeEach(async () => {
  told = [];
  client = adminClient();
  const tell = (message: string, fields: object) => told.push(`${message} ${JSON.stringify(fields)}`);
  kept = new KubernetesCluster({ client, clock, keptFrom: 1, tell });
  fresh = new KubernetesCluster({ client, clock, keptFrom: Number.MAX_SAFE_INTEGER });
  for (const name of NAMESPACES) {
    await callApi({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name } } });
    await vi.waitFor(async () => await put(name, 'first'), { timeout: 20_000 });
  }
});
afterEach(() => client.close());

const podsOf = (namespace: string) => `/api/v1/namespaces/${namespace}/pods`;

/** No scheduler binds it. */
async function put(namespace: string, name: string): Promise<void> {
  const spec = { schedulerName: 'none', containers: [{ name: 'main', image: 'none' }] };
  const answer = await callApi({ method: 'POST', path: podsOf(namespace), body: { metadata: { name }, spec } });
  if (answer.status !== 201 && answer.status !== 409) throw new Error(JSON.stringify(answer.body));
}

async function change(random: Random): Promise<void> {
  const namespace = random.pick(NAMESPACES) ?? 'web';
  const name = random.pick(NAMES) ?? 'pod-0';
  const path = `${podsOf(namespace)}/${name}`;
  const percent = random.between(0, 100);
  if (percent < 50) await put(namespace, name);
  else if (percent < 70) await mergePatch(path, { metadata: { labels: { version: String(percent) } } });
  else if (percent < 90) await callApi({ method: 'DELETE', path, query: { gracePeriodSeconds: '0' } });
  else await callApi({ method: 'DELETE', path: podsOf(namespace), query: { gracePeriodSeconds: '0' } });
}

async function expectEqual(): Promise<void> {
  const [pods, nodes, storage] = [await kept.listPods(), await kept.listNodes(), await kept.readStorage()];
  expect(pods).toEqual(await fresh.listPods());
  expect(nodes).toEqual(await fresh.listNodes());
  expect(storage).toEqual(await fresh.readStorage());
}

test('what is kept is what a fresh list shows after each of many changes, and hardly ever had to be read anew', async () => {
  const random = randomFrom(20_260_131);
  for (let round = 0; round < 25; round += 1) {
    for (let index = 0; index < 12; index += 1) await change(random);
    if (round % 2 === 0) await kept.listUnboundPods();
    await expectEqual();
  }
  // A machine that is busy with other things may hold a stream back for a second.
  expect(told.length).toBeLessThanOrEqual(2);
});

test('a cluster in which only other kinds change is believed before the bookmark of a watch could come', async () => {
  await kept.listPods();
  for (const name of ['a', 'b', 'c']) {
    await succeed({
      method: 'POST',
      path: '/api/v1/namespaces/default/configmaps',
      body: { metadata: { name: `quiet-${name}` } },
    });
    const beganMs = Date.now();
    await kept.listPods();
    expect(Date.now() - beganMs).toBeLessThan(BOOKMARK_MS);
    await expectEqual();
  }
});

test('after a restart, and after a compaction, the list is read anew and kept on', async () => {
  await kept.listPods();
  await put('web', 'before');
  await controlPlane.compactEtcd();
  await controlPlane.restartApiServer();
  await put('web', 'after');
  await expectEqual();
  expect(told.join()).toContain('"end":"gone"');
  told = [];
  await put('shop', 'later');
  await expectEqual();
  expect(told).toEqual([]);
});

test('pods of a namespace that is deleted go', async () => {
  await kept.listPods();
  await callApi({ method: 'DELETE', path: '/api/v1/namespaces/shop' });
  await vi.waitFor(
    async () => {
      await expectEqual();
      const pods = await kept.listPods();
      expect(pods.filter(({ metadata }) => metadata.namespace === 'shop')).toEqual([]);
    },
    { timeout: 30_000, interval: 500 },
  );
});
