/** Each function's calls of the cluster's port, made in its own group: a right that is missing shows as a 403 of a real API server. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ClusterFunction } from '../../lib/core/install/rbac.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import { ApiClient } from '../../lib/providers/kubernetes/client/api-client.ts';
import { KubernetesCluster } from '../../lib/providers/kubernetes/kubernetes-cluster.ts';
import { nodeManifest } from '../rig/node-objects.ts';
import { textAt } from '../stack/json.ts';
import { callApi, mergePatch, succeed } from './support/api-client.ts';
import { startGrantedProxy } from './support/granted-proxy.ts';
import { FUNCTIONS, installRoles } from './support/identities.ts';
import { create, installDefinitions, pathOf, removeAll } from './support/resources.ts';
import { SAMPLES } from './support/samples.ts';

const NODE = '/api/v1/nodes/granted';
const CLAIM = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kerf';
const PODS = '/api/v1/namespaces/default/pods';
const FINALIZER = { finalizers: ['karpenter.sh/termination'] };

type Calls = Readonly<Record<string, (cluster: Cluster) => Promise<unknown>>>;

let pods = 0;

async function aBoundPod() {
  pods += 1;
  const name = `granted-${pods}`;
  const container = { name: 'main', image: 'registry.k8s.io/pause:3.10' };
  const body = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [container], nodeName: 'granted' },
  };
  const made = await succeed({ method: 'POST', path: PODS, body });
  return { namespace: 'default', name, uid: textAt(made.body, 'metadata', 'uid') };
}

const EVENT = {
  regarding: { kind: 'Node', name: 'granted' },
  type: 'Normal',
  reason: 'Evicted',
  message: 'it may',
} as const;

const EVERY: Calls = {
  'finds other autoscalers': async (cluster) => {
    expect((await cluster.findOtherAutoscalers()).unread).toEqual([]);
  },
  'says something, twice': async (cluster) => {
    await cluster.publishEvent(EVENT);
    await cluster.publishEvent(EVENT);
  },
};

const WHOLE_CLUSTER: Calls = {
  ...EVERY,
  pods: async (cluster) => await Promise.all([cluster.listUnboundPods(), cluster.listPods()]),
  nodes: async (cluster) => await cluster.listNodes(),
  pools: async (cluster) => await Promise.all([cluster.listNodePools(), cluster.listNodeClasses()]),
  claims: async (cluster) => await cluster.listNodeClaims(),
  overlays: async (cluster) => await cluster.listNodeOverlays(),
  workloads: async (cluster) => await Promise.all([cluster.listDaemonSets(), cluster.listPodDisruptionBudgets()]),
  buffers: async (cluster) => await Promise.all([cluster.listCapacityBuffers(), cluster.listPodTemplates()]),
  scalable: async (cluster) =>
    await Promise.all(
      (['Deployment', 'StatefulSet', 'ReplicaSet'] as const).map((kind) => cluster.listScalableWorkloads(kind)),
    ),
  storage: async (cluster) =>
    await Promise.all([cluster.listNamespaces(), cluster.readStorage(), cluster.listVolumeAttachments()]),
  'taints nodes': async (cluster) => await cluster.patchNode({ name: 'granted' }, { taints: [] }),
};

const CALLS: Readonly<Record<ClusterFunction, Calls>> = {
  provisioning: {
    ...WHOLE_CLUSTER,
    'shows buffers': async (cluster) => {
      const [one] = await cluster.listCapacityBuffers();
      if (one === undefined) throw new Error('there is no CapacityBuffer');
      await cluster.patchCapacityBuffer(one, { status: { conditions: [] } });
    },
  },
  disruption: WHOLE_CLUSTER,
  lifecycle: {
    ...EVERY,
    looks: async (cluster) =>
      await Promise.all([
        cluster.listNodes(),
        cluster.listNodeClaims(),
        cluster.listNodeClasses(),
        cluster.listNodePools(),
      ]),
    'claims the cluster': async (cluster) => await cluster.claimCluster(),
    'labels nodes': async (cluster) => await cluster.patchNode({ name: 'granted' }, { labels: { a: 'b' } }),
    'shows claims': async (cluster) => {
      const [claim] = await cluster.listNodeClaims();
      if (claim === undefined) throw new Error('there is no NodeClaim');
      const metadata = { name: 'granted', ...FINALIZER };
      await cluster.applyNodeClaim({ ...claim, metadata, status: { conditions: [] } });
      await cluster.deleteNodeClaim('granted');
      await cluster.removeNodeClaim('granted');
      await cluster.patchNodeClaim(claim, { annotations: { a: 'b' } });
    },
    'shows classes': async (cluster) => {
      const [one] = await cluster.listNodeClasses();
      if (one === undefined) throw new Error('there is no EC2NodeClass');
      await cluster.patchNodeClass(one, { annotations: { a: 'b' }, status: { conditions: [] } });
    },
    'shows pools': async (cluster) => {
      const [one] = await cluster.listNodePools();
      if (one === undefined) throw new Error('there is no NodePool');
      await cluster.patchNodePool(one, { annotations: { a: 'b' }, status: { nodes: 0, conditions: [] } });
    },
    'shows overlays': async (cluster) => {
      const [one] = await cluster.listNodeOverlays();
      if (one === undefined) throw new Error('there is no NodeOverlay');
      await cluster.patchNodeOverlay(one, { status: { conditions: [] } });
    },
  },
  termination: {
    ...EVERY,
    looks: async (cluster) => await Promise.all([cluster.listNodes(), cluster.listPodsOnNode('granted')]),
    budgets: async (cluster) => await cluster.listPodDisruptionBudgets(),
    volumes: async (cluster) =>
      await Promise.all([cluster.listVolumeAttachments(), cluster.listPersistentVolumeClaims()]),
    evicts: async (cluster) => await cluster.evictPod(await aBoundPod()),
    'forces out': async (cluster) => await cluster.deletePod(await aBoundPod(), 0),
    releases: async (cluster) => {
      await cluster.patchNode({ name: 'granted' }, FINALIZER);
      await cluster.removeNodeClaim('general-x7k2p');
      await cluster.deleteNode('granted');
    },
  },
};

beforeAll(async () => {
  await installDefinitions();
  await installRoles();
  await removeAll();
  for (const sample of SAMPLES) await create(sample);
  await succeed({ method: 'POST', path: '/api/v1/nodes', body: nodeManifest({ name: 'granted' }) });
});
afterAll(async () => {
  await callApi({ method: 'DELETE', path: CLAIM });
  await mergePatch(NODE, { metadata: { finalizers: [] } });
  for (const sample of SAMPLES) await mergePatch(pathOf(sample), { metadata: { finalizers: [] } });
  await removeAll();
  await succeed({ method: 'DELETE', path: PODS, body: { gracePeriodSeconds: 0 } });
});

test.each(FUNCTIONS)('the API server refuses no request of the function %s', async (name) => {
  const proxy = await startGrantedProxy(name);
  const client = new ApiClient({ endpoint: proxy.endpoint });
  // Of everything something is kept, so that changes are watched for as well.
  const cluster = new KubernetesCluster({
    client,
    clock: { now: () => Date.now() },
    deployment: 'granted',
    keptFrom: 0,
  });
  for (const call of Object.values(CALLS[name])) {
    await call(cluster);
    await call(cluster);
  }
  client.close();
  await proxy.close();
  expect(proxy.calls.length).toBeGreaterThan(0);
  expect(proxy.calls.filter(({ status }) => status === 401 || status === 403)).toEqual([]);
});
