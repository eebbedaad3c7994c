import { expect, test } from 'vitest';
import { NODE_POOL, TERMINATION_FINALIZER } from '../../../lib/apis/labels.ts';
import { deleteNode, deleteNodeClaim, simulatedCluster } from '../../../lib/simulator/kubernetes/simulated-cluster.ts';
import type { KubernetesState } from '../../../lib/simulator/kubernetes/state.ts';
import { CLOCK, clusterWith } from './cluster-with.ts';

const FINALIZERS = [TERMINATION_FINALIZER];
const NODE = { metadata: { name: 'n', labels: { [NODE_POOL]: 'general' }, finalizers: FINALIZERS } };
const CLAIM = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name: 'c', labels: {}, finalizers: FINALIZERS },
  spec: {
    nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
    expireAfter: 'Never',
    requirements: [],
  },
} as const;

/** An API server with a node and a NodeClaim. *Shape:* it, and the names of the objects in calls of the webhook. */
async function watched(): Promise<{ readonly state: KubernetesState; readonly calls: readonly string[] }> {
  const state = clusterWith({ nodes: [NODE], pods: [] });
  await simulatedCluster(state, CLOCK).applyNodeClaim(CLAIM);
  const calls: string[] = [];
  state.onReview = ({ name }) => calls.push(name);
  return { state, calls };
}

test('the webhook is called once when a user deletes a node or a NodeClaim', async () => {
  const { state, calls } = await watched();
  deleteNode(state, 'n', CLOCK);
  deleteNode(state, 'n', CLOCK);
  deleteNodeClaim(state, 'c', CLOCK);
  deleteNodeClaim(state, 'c', CLOCK);
  expect(calls).toEqual(['n', 'c']);
});

test("the webhook is not called for Kerf's own deletions, also when it removes the last finalizer", async () => {
  const { state, calls } = await watched();
  const cluster = simulatedCluster(state, CLOCK);
  await cluster.deleteNode('n');
  await cluster.deleteNodeClaim('c');
  await cluster.patchNode({ name: 'n' }, { finalizers: [] });
  await cluster.removeNodeClaim('c');
  expect([state.nodes.size, state.nodeClaims.size]).toEqual([0, 0]);
  expect(calls).toEqual([]);
});
