/** The claim of a cluster on a real API server, which refuses the second of two claims. */
import { afterEach, expect, test } from 'vitest';
import { claimCluster, readClaim, releaseClaim } from '../../lib/providers/kubernetes/install/cluster-claim.ts';
import { adminClient, callApi } from './support/api-client.ts';

const CLAIM = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kerf';
const AT_MS = Date.parse('2026-01-01T00:00:00Z');
const [FIRST, SECOND] = ['111122223333/eu-west-3/first', '111122223333/eu-west-3/second'];

const client = adminClient();
afterEach(async () => {
  await callApi({ method: 'DELETE', path: CLAIM });
});

test('of two deployments that claim a cluster at the same time, one gets it', async () => {
  const claims = await Promise.all([FIRST, SECOND].map(async (name) => await claimCluster(client, name, AT_MS)));
  expect(claims.filter(({ isOwn }) => isOwn)).toHaveLength(1);
  expect(new Set(claims.map(({ deployment }) => deployment)).size).toBe(1);
});

test('a claim keeps its time, and only the deployment that has it can release it', async () => {
  await claimCluster(client, FIRST, AT_MS);
  await claimCluster(client, FIRST, AT_MS + 60_000);
  await releaseClaim(client, SECOND);
  expect(await readClaim(client, SECOND)).toEqual({ deployment: FIRST, isOwn: false, sinceMs: AT_MS });
  await releaseClaim(client, FIRST);
  expect(await readClaim(client, FIRST)).toBeUndefined();
});
