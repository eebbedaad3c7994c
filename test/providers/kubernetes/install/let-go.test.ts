import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApiClient } from '../../../../lib/providers/kubernetes/client/api-client.ts';
import { kubernetesInstallation } from '../../../../lib/providers/kubernetes/install/installation.ts';
import { NOW_MS } from '../../../builders/times.ts';
import { FakeApiServer } from '../../../fakes/api-server.ts';

const FINALIZERS = ['karpenter.sh/termination', 'example.com/other'];
const OURS = { key: 'kerf.dev/underutilized', effect: 'PreferNoSchedule' };
const OTHER = { key: 'example.com/other', effect: 'NoSchedule' };

let server: FakeApiServer;
let client: ApiClient;

beforeEach(async () => {
  server = await FakeApiServer.start();
  client = new ApiClient({ endpoint: server.endpoint, sleep: async () => undefined });
});
afterEach(async () => {
  client.close();
  await server.close();
});

function installation() {
  const clock = { now: () => NOW_MS };
  return kubernetesInstallation({ client, clock, installedBy: 'stack', deployment: 'own' });
}

/** The bodies of the writes. */
async function written(taints: readonly object[], keepsFinalizer: boolean): Promise<readonly unknown[]> {
  const node = { group: '/api/v1', resource: 'nodes', name: 'node-1' };
  server.store.put(node, { metadata: { finalizers: FINALIZERS }, spec: { taints } });
  await installation().letGo({ kind: 'Node', name: 'node-1' }, { keepsFinalizer });
  return server.requests.flatMap(({ method, body }) => (method === 'PATCH' ? [body] : []));
}

test.each([
  { keepsFinalizer: false, finalizers: ['example.com/other'] },
  { keepsFinalizer: true, finalizers: FINALIZERS },
])('a node loses the taint of Kerf; its finalizer is kept: $keepsFinalizer', async ({ keepsFinalizer, finalizers }) => {
  expect(await written([OTHER, OURS], keepsFinalizer)).toMatchObject([
    { metadata: { finalizers }, spec: { taints: [OTHER] } },
  ]);
});

test('a node without the taint that keeps its finalizer is not written', async () => {
  expect(await written([OTHER], true)).toEqual([]);
});

const DISRUPTED = { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' };
const UNREGISTERED = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' };
const EXCLUDED = { 'node.kubernetes.io/exclude-from-external-load-balancers': 'karpenter' };
const NODE = { group: '/api/v1', resource: 'nodes', name: 'node-1' };

test('a node that loses its finalizer loses the taint and the label of a disruption, which nothing removes any more', async () => {
  const metadata = { finalizers: FINALIZERS, labels: { ...EXCLUDED, team: 'a' } };
  server.store.put(NODE, { metadata, spec: { taints: [OTHER, DISRUPTED] } });
  await installation().letGo({ kind: 'Node', name: 'node-1' }, { keepsFinalizer: false });
  expect(server.store.get(NODE)).toMatchObject({
    metadata: { finalizers: ['example.com/other'], labels: { team: 'a' } },
    spec: { taints: [OTHER] },
  });
});

test('a node that keeps its finalizer keeps the taint of a disruption', async () => {
  expect(await written([DISRUPTED, OURS], true)).toMatchObject([{ spec: { taints: [DISRUPTED] } }]);
});

test('a node that has not registered is listed without a finalizer, and loses the taint that evicts its pods', async () => {
  server.store.put(NODE, { metadata: {}, spec: { taints: [UNREGISTERED, OTHER] } });
  server.store.put({ ...NODE, name: 'node-2' }, { metadata: {}, spec: { taints: [OTHER] } });
  const [node, ...others] = await installation().listHeld('Node');
  expect([node, others]).toEqual([{ kind: 'Node', name: 'node-1', isUnregistered: true }, []]);
  if (node !== undefined) await installation().letGo(node, { keepsFinalizer: false });
  expect(server.store.get(NODE)).toMatchObject({ spec: { taints: [OTHER] } });
});

describe('a node that is being deleted', () => {
  const metadata = { finalizers: FINALIZERS, deletionTimestamp: '2026-01-01T00:00:00Z' };
  const asked = { keepsFinalizer: false };

  beforeEach(() => {
    server.store.put(NODE, { metadata, spec: { providerID: 'aws:///a/i-1', taints: [DISRUPTED] } });
  });

  test('is listed as such', async () => {
    expect(await installation().listHeld('Node')).toEqual([
      { kind: 'Node', name: 'node-1', providerId: 'aws:///a/i-1', isDeleted: true },
    ]);
  });

  test('loses its finalizer only if it was being deleted when it was listed', async () => {
    const patches = () => server.requests.filter(({ method }) => method === 'PATCH').length;
    expect(await installation().letGo({ kind: 'Node', name: 'node-1' }, asked)).toBe('kept');
    expect(patches()).toBe(0);
    expect(await installation().letGo({ kind: 'Node', name: 'node-1', isDeleted: true }, asked)).toBe('released');
    expect(patches()).toBe(1);
    expect(server.store.get(NODE)).toMatchObject({ spec: { taints: [DISRUPTED] } });
  });
});
