import { afterEach, beforeEach, expect, test } from 'vitest';
import { UnreachableError } from '../../../../lib/ports/errors.ts';
import { ApiClient } from '../../../../lib/providers/kubernetes/client/api-client.ts';
import { AutoscalerTraceReader } from '../../../../lib/providers/kubernetes/install/autoscaler-traces.ts';
import { NOW_MS } from '../../../builders/times.ts';
import { FakeApiServer } from '../../../fakes/api-server.ts';

const LEASE = {
  group: '/apis/coordination.k8s.io/v1',
  resource: 'leases',
  namespace: 'karpenter',
  name: 'karpenter-leader-election',
};
const HELD = {
  holderIdentity: 'karpenter-7_ab',
  leaseDurationSeconds: 15,
  renewTime: '2026-01-01T00:00:03.123456Z',
};

let server: FakeApiServer;
let client: ApiClient;
let nowMs = NOW_MS;
let reader: AutoscalerTraceReader;

beforeEach(async () => {
  server = await FakeApiServer.start();
  client = new ApiClient({ endpoint: server.endpoint, sleep: async () => undefined });
  nowMs = NOW_MS;
  reader = new AutoscalerTraceReader({ client, clock: { now: () => nowMs } });
});
afterEach(async () => {
  client.close();
  await server.close();
});

function putPool(name: string, group: string): void {
  const nodeClassRef = { group, kind: 'NodeClass', name: 'default' };
  server.store.put(
    { group: '/apis/karpenter.sh/v1', resource: 'nodepools', name },
    { spec: { template: { spec: { nodeClassRef } } } },
  );
}

test('the lease of Karpenter is found in whatever namespace, and no other lease is asked for', async () => {
  server.store.put(LEASE, { spec: HELD });
  server.store.put({ ...LEASE, namespace: 'kube-system', name: 'kube-scheduler' }, { spec: HELD });
  const { leases } = await reader.read();
  const renewedAtMs = Date.parse('2026-01-01T00:00:03.123Z');
  expect(leases).toEqual([{ namespace: 'karpenter', holder: 'karpenter-7_ab', durationMs: 15_000, renewedAtMs }]);
  const asked = server.requests.find(({ path }) => path.endsWith('/leases'));
  expect(asked?.query.get('fieldSelector')).toBe('metadata.name=karpenter-leader-election');
});

// The API server writes a time of another zone in UTC: 9999-12-31T23:59:59-14:00 and 0000-01-01T00:00:00+14:00.
test.each(['10000-01-01T13:59:59.000000Z', '-0001-12-31T10:00:00.000000Z'])(
  'a lease whose time cannot be read (%s) hides nothing else',
  async (renewTime) => {
    server.store.put(LEASE, { spec: HELD });
    server.store.put({ ...LEASE, namespace: 'team-a' }, { spec: { ...HELD, renewTime } });
    putDeployment();
    const { leases, deployments } = await reader.read();
    const forged = { namespace: 'team-a', holder: 'karpenter-7_ab', durationMs: 15_000 };
    expect(leases).toEqual([expect.objectContaining({ namespace: 'karpenter', holder: 'karpenter-7_ab' }), forged]);
    expect(deployments).toHaveLength(1);
  },
);

test('a claim whose time cannot be read names its deployment without a time', async () => {
  const claim = { group: LEASE.group, resource: 'leases', namespace: 'kube-system', name: 'kerf' };
  const acquireTime = '10000-01-01T13:59:59.000000Z';
  server.store.put(claim, { spec: { holderIdentity: '1/eu-west-3/Kerf-A', acquireTime } });
  const ofDeployment = new AutoscalerTraceReader({
    client,
    clock: { now: () => nowMs },
    deployment: '1/eu-west-3/Kerf-B',
  });
  expect((await ofDeployment.read()).claim).toEqual({ deployment: '1/eu-west-3/Kerf-A', isOwn: false });
});

test('a lease that was never held is none', async () => {
  server.store.put(LEASE, { spec: {} });
  expect((await reader.read()).leases).toEqual([]);
});

const DEPLOYMENT = { group: '/apis/apps/v1', resource: 'deployments', namespace: 'kube-system', name: 'karpenter' };
const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

function putDeployment(over: Partial<typeof DEPLOYMENT> = {}, serviceAccountName: string | undefined = 'karp'): void {
  server.store.put(
    { ...DEPLOYMENT, ...over },
    {
      metadata: { labels: { 'app.kubernetes.io/name': 'karpenter' } },
      spec: { template: { spec: { serviceAccountName } } },
      status: { readyReplicas: 1 },
    },
  );
}

function reviewed(): readonly unknown[] {
  return server.requests.filter(({ path }) => path === REVIEWS).map(({ body }) => body['spec']);
}

test("Deployments are Karpenter's by their label, and want one replica where they do not say", async () => {
  putDeployment();
  const { deployments } = await reader.read();
  expect(deployments).toEqual([
    { namespace: 'kube-system', name: 'karpenter', replicas: 1, ready: 1, serviceAccount: 'karp' },
  ]);
  const asked = server.requests.find(({ path }) => path.endsWith('/deployments'));
  expect(asked?.query.get('labelSelector')).toBe('app.kubernetes.io/name=karpenter');
});

test('the service account of a running Deployment is a writer if it may create NodeClaims', async () => {
  putDeployment();
  server.nodeClaimWriters.add('system:serviceaccount:kube-system:karp');
  expect((await reader.read()).writers).toEqual([{ namespace: 'kube-system', name: 'karp' }]);
  expect(reviewed()).toEqual([
    {
      user: 'system:serviceaccount:kube-system:karp',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
      resourceAttributes: { group: 'karpenter.sh', resource: 'nodeclaims', verb: 'create' },
    },
  ]);
});

test('a Deployment in a namespace of users costs no question about rights', async () => {
  putDeployment({ namespace: 'team-a' });
  server.nodeClaimWriters.add('system:serviceaccount:team-a:karp');
  expect((await reader.read()).writers).toEqual([]);
  expect(reviewed()).toEqual([]);
});

test('a cluster without a sign costs no question about rights', async () => {
  await reader.read();
  expect(server.requests).toHaveLength(2);
});

test('a held lease without a labelled Deployment is checked by the Deployments of its namespace, its holder first', async () => {
  const renewTime = '2026-01-31T08:00:00.000000Z';
  nowMs = Date.parse(renewTime);
  server.store.put(LEASE, { spec: { ...HELD, holderIdentity: 'nodes-7_ab', renewTime } });
  for (const name of ['a', 'nodes']) {
    const account = { spec: { template: { spec: { serviceAccountName: `of-${name}` } } } };
    server.store.put({ ...DEPLOYMENT, namespace: 'karpenter', name }, account);
  }
  server.nodeClaimWriters.add('system:serviceaccount:karpenter:of-nodes');
  expect((await reader.read()).writers).toEqual([{ namespace: 'karpenter', name: 'of-nodes' }]);
  expect(reviewed()).toHaveLength(1);
});

test('the answer about rights is kept for a minute', async () => {
  putDeployment();
  await reader.read();
  for (const laterMs of [15_000, 45_000, 59_999]) {
    nowMs = NOW_MS + laterMs;
    await reader.read();
  }
  expect(reviewed()).toHaveLength(1);
  nowMs = NOW_MS + 75_000;
  await reader.read();
  expect(reviewed()).toHaveLength(2);
});

test('an account counts as a writer where Kerf may not ask, and this is reported', async () => {
  putDeployment();
  const none = { kind: 'none' } as const;
  server.failNext(none, none, { kind: 'status', status: 403 });
  const { writers, unread } = await reader.read();
  expect(writers).toEqual([{ namespace: 'kube-system', name: 'karp' }]);
  expect(unread).toEqual([expect.stringContaining('subjectaccessreviews: 403')]);
});

test('a held lease counts where Kerf may not list the Deployments of its namespace, and this is reported', async () => {
  const renewTime = '2026-01-31T08:00:00.000000Z';
  nowMs = Date.parse(renewTime);
  server.store.put(LEASE, { spec: { ...HELD, renewTime } });
  const none = { kind: 'none' } as const;
  server.failNext(none, none, { kind: 'status', status: 403 });
  const { writers, unread } = await reader.read();
  expect(writers).toEqual([{ namespace: 'karpenter', name: '' }]);
  expect(unread).toEqual([expect.stringContaining('deployments: 403')]);
});

test('NodePools are those of Auto Mode by the group of their class', async () => {
  putPool('general-purpose', 'eks.amazonaws.com');
  putPool('mine', 'karpenter.k8s.aws');
  expect(await reader.readAutoModePools()).toEqual(['general-purpose']);
});

test('what was read is kept for 15 s, and a failure is not', async () => {
  server.failNext(...Array.from({ length: 8 }, () => ({ kind: 'status', status: 503 }) as const));
  await expect(reader.read()).rejects.toBeInstanceOf(UnreachableError);
  await expect.poll(() => server.requests.length).toBeGreaterThan(2);
  server.failNext();
  await reader.read();
  const asked = server.requests.length;
  nowMs += 14_999;
  await reader.read();
  expect(server.requests).toHaveLength(asked);
  nowMs += 1;
  await reader.read();
  expect(server.requests).toHaveLength(asked + 2);
});

test('a list without permission is reported, and does not affect the others', async () => {
  putDeployment();
  server.failNext({ kind: 'status', status: 403 });
  const traces = await reader.read();
  expect(traces.unread).toEqual([expect.stringContaining('list /apis/coordination.k8s.io/v1/leases: 403')]);
  expect(traces.deployments).toHaveLength(1);
});
