/** Karpenter on a real API server: its lease with the times that Kubernetes writes, and the rights of its service account. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { activeAutoscalers, ignoredAutoscalers } from '../../lib/core/cluster/other-autoscalers.ts';
import type { ApiClient } from '../../lib/providers/kubernetes/client/api-client.ts';
import { AutoscalerTraceReader } from '../../lib/providers/kubernetes/install/autoscaler-traces.ts';
import { adminClient, callApi, succeed } from './support/api-client.ts';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/kube-system/deployments';
const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
const RENEWED_AT_MS = Date.parse('2026-01-01T00:00:00Z');
const NAME = 'karpenter-of-test';

let client: ApiClient;

beforeEach(async () => {
  client = adminClient();
  const spec = { holderIdentity: `${NAME}-1_a`, leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' };
  await succeed({ method: 'POST', path: LEASES, body: { metadata: { name: 'karpenter-leader-election' }, spec } });
  const labels = { app: NAME };
  const container = { name: 'controller', image: 'registry.k8s.io/pause:3.10' };
  const template = { metadata: { labels }, spec: { serviceAccountName: NAME, containers: [container] } };
  const deployment = { replicas: 1, selector: { matchLabels: labels }, template };
  await succeed({ method: 'POST', path: DEPLOYMENTS, body: { metadata: { name: NAME }, spec: deployment } });
});
afterEach(async () => {
  client.close();
  await callApi({ method: 'DELETE', path: `${LEASES}/karpenter-leader-election` });
  await callApi({ method: 'DELETE', path: `${DEPLOYMENTS}/${NAME}` });
  await callApi({ method: 'DELETE', path: `${BINDINGS}/${NAME}` });
  await callApi({ method: 'DELETE', path: `${ROLES}/${NAME}` });
});

async function allowNodeClaims(): Promise<void> {
  const rules = [{ apiGroups: ['karpenter.sh'], resources: ['nodeclaims'], verbs: ['create'] }];
  await succeed({ method: 'POST', path: ROLES, body: { metadata: { name: NAME }, rules } });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: NAME };
  const subjects = [{ kind: 'ServiceAccount', namespace: 'kube-system', name: NAME }];
  await succeed({ method: 'POST', path: BINDINGS, body: { metadata: { name: NAME }, roleRef, subjects } });
}

async function found(nowMs: number) {
  const traces = await new AutoscalerTraceReader({ client, clock: { now: () => RENEWED_AT_MS + 1_000 } }).read();
  expect(traces.unread).toEqual([]);
  return {
    active: activeAutoscalers('demo', { ...traces, autoMode: false, autoModePools: [] }, nowMs).map(
      ({ reason }) => reason,
    ),
    ignored: ignoredAutoscalers('demo', traces, nowMs)?.message,
  };
}

test('a lease that Karpenter holds counts, and lapses where it is renewed no more', async () => {
  await allowNodeClaims();
  expect((await found(RENEWED_AT_MS + 10_000)).active).toEqual(['KarpenterActive']);
  expect((await found(RENEWED_AT_MS + 30_000)).active).toEqual([]);
});

test.each(['9999-12-31T23:59:59.000000-14:00', '0000-01-01T00:00:00.000000+14:00'])(
  'a lease whose time has no year of four digits in UTC (%s) is ignored and named',
  async (renewTime) => {
    const path = LEASES.replace('kube-system', 'default');
    const spec = { holderIdentity: 'x', leaseDurationSeconds: 15, renewTime };
    await succeed({ method: 'POST', path, body: { metadata: { name: 'karpenter-leader-election' }, spec } });
    try {
      const { active, ignored } = await found(RENEWED_AT_MS + 10_000);
      expect(active).toEqual([]);
      expect(ignored).toContain('Lease default/karpenter-leader-election');
    } finally {
      await callApi({ method: 'DELETE', path: `${path}/karpenter-leader-election` });
    }
  },
);

test('a lease in a namespace in which no service account may create NodeClaims is ignored and named', async () => {
  const { active, ignored } = await found(RENEWED_AT_MS + 10_000);
  expect(active).toEqual([]);
  expect(ignored).toContain('Lease kube-system/karpenter-leader-election');
});
