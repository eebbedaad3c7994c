/** Karpenter, as a real API server shows it: its lease with the times that Kubernetes writes. */
import { expect, test } from 'vitest';
import { activeAutoscalers } from '../../lib/core/cluster/other-autoscalers.ts';
import { AutoscalerTraceReader } from '../../lib/providers/kubernetes/install/autoscaler-traces.ts';
import { adminClient, callApi, succeed } from './support/api-client.ts';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
const RENEWED_AT_MS = Date.parse('2026-01-01T00:00:00Z');

test('a lease that Karpenter holds is found and counts, and lapses where it is renewed no more', async () => {
  const spec = {
    holderIdentity: 'karpenter-1_a',
    leaseDurationSeconds: 15,
    renewTime: '2026-01-01T00:00:00.000000Z',
  };
  await succeed({ method: 'POST', path: LEASES, body: { metadata: { name: 'karpenter-leader-election' }, spec } });
  const client = adminClient();
  try {
    const traces = await new AutoscalerTraceReader(client, { now: () => RENEWED_AT_MS }).read();
    expect(traces.unread).toEqual([]);
    const reasons = (nowMs: number) =>
      activeAutoscalers('demo', { ...traces, autoMode: false }, nowMs).map(({ reason }) => reason);
    expect(reasons(RENEWED_AT_MS + 10_000)).toEqual(['KarpenterActive']);
    expect(reasons(RENEWED_AT_MS + 30_000)).toEqual([]);
  } finally {
    client.close();
    await callApi({ method: 'DELETE', path: `${LEASES}/karpenter-leader-election` });
  }
});
