import { ApiClient } from '../../lib/providers/kubernetes/client/api-client.ts';
import { KubernetesCluster } from '../../lib/providers/kubernetes/kubernetes-cluster.ts';
import { NOW_MS } from '../builders/times.ts';
import { FakeApiServer } from '../fakes/api-server.ts';
import { nodeClaimMirrorContract } from './cluster/node-claim-mirrors.ts';
import { type ClusterHarness, clusterContract } from './cluster.ts';
import type { WorldObject } from './cluster-objects.ts';
import { podNominationContract } from './pod-nominations.ts';

const PLACE: Readonly<Record<WorldObject['kind'], { readonly group: string; readonly resource: string }>> = {
  Pod: { group: '/api/v1', resource: 'pods' },
  Node: { group: '/api/v1', resource: 'nodes' },
  DaemonSet: { group: '/apis/apps/v1', resource: 'daemonsets' },
  PodDisruptionBudget: { group: '/apis/policy/v1', resource: 'poddisruptionbudgets' },
  NodePool: { group: '/apis/karpenter.sh/v1', resource: 'nodepools' },
  NodeOverlay: { group: '/apis/karpenter.sh/v1alpha1', resource: 'nodeoverlays' },
  CapacityBuffer: { group: '/apis/autoscaling.x-k8s.io/v1beta1', resource: 'capacitybuffers' },
  PodTemplate: { group: '/api/v1', resource: 'podtemplates' },
  Deployment: { group: '/apis/apps/v1', resource: 'deployments' },
  PersistentVolumeClaim: { group: '/api/v1', resource: 'persistentvolumeclaims' },
  VolumeAttachment: { group: '/apis/storage.k8s.io/v1', resource: 'volumeattachments' },
  EC2NodeClass: { group: '/apis/karpenter.k8s.aws/v1', resource: 'ec2nodeclasses' },
};

/** Small lists are not kept. In these tests, every kind that can be kept is kept from its first object on. */
const PATIENCE = { quietMs: 20, silentMs: 60, bookmarkMs: 80, longestMs: 2_000 };

for (const [name, kept] of [
  ['the Kubernetes API over HTTP', {}],
  ['the Kubernetes API over HTTP, lists kept', { keptFrom: 0, patience: PATIENCE }],
] as const) {
  const make = async (): Promise<ClusterHarness> => {
    const server = await FakeApiServer.start();
    const client = new ApiClient({ endpoint: server.endpoint });
    // Each read asks again: the answer about other deployments is cached for 15 s.
    let nowMs = NOW_MS;
    const clock = { now: () => (nowMs += 15_000) };
    const clusterOf = (table: string) =>
      new KubernetesCluster({ client, clock, deployment: `111122223333/eu-west-3/${table}`, ...kept });
    return {
      cluster: clusterOf('first'),
      second: clusterOf('second'),
      put: async ({ kind, object }) => {
        const { name: called, namespace } = object.metadata;
        server.store.put(
          { ...PLACE[kind], name: called, ...(namespace === undefined ? {} : { namespace }) },
          { ...object },
        );
      },
      close: async () => {
        client.close();
        await server.close();
      },
    };
  };
  clusterContract(name, make);
  nodeClaimMirrorContract(name, make);
  podNominationContract(name, make);
}
