import { expect, test } from 'vitest';
import { mirrorOf } from '../../../lib/core/node-claim/mirror/mirror.ts';
import { simulatedCluster } from '../../../lib/simulator/kubernetes/simulated-cluster.ts';
import { kubernetesState } from '../../../lib/simulator/kubernetes/state.ts';
import { aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { aClaim } from '../../builders/node-claims.ts';
import { NOW_MS } from '../../builders/times.ts';

test('a NodeClaim is deleted if its owner does not exist when it is created', async () => {
  const state = kubernetesState(someManifests({ nodePools: [aPool()] }));
  const cluster = simulatedCluster(state, { now: () => NOW_MS });
  const [nodePool] = await cluster.listNodePools();
  const former = nodePool && { ...nodePool, metadata: { ...nodePool.metadata, uid: 'uid-former' } };
  await cluster.applyNodeClaim(mirrorOf(aClaim({ name: 'owned' }), { nodePool }));
  await cluster.applyNodeClaim(mirrorOf(aClaim({ name: 'not-owned' })));
  await cluster.applyNodeClaim(mirrorOf(aClaim({ name: 'of-former' }), { nodePool: former }));
  const deleted = [...state.nodeClaims.values()].filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  expect(deleted.map(({ metadata }) => metadata.name)).toEqual(['of-former']);
  expect(state.nodeClaims.size).toBe(3);
});
