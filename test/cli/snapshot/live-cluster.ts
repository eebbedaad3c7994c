import type { EC2NodeClass } from '../../../lib/apis/ec2-node-class.ts';
import type { LiveReader } from '../../../lib/cli/snapshot/run-snapshot.ts';
import { aJoinedNode, aKarpenterClaim } from '../../builders/adoption-world.ts';
import { aNodeClass, aNodePool } from '../../builders/node-pools.ts';
import { pendingPod, runningPod } from '../../builders/pods.ts';

const MANIFEST = { 'kubectl.kubernetes.io/last-applied-configuration': '{"spec":{"userData":"SECRET"}}' };

export function aClass(zones: readonly string[] = ['eu-west-3a']): EC2NodeClass {
  const { metadata, ...others } = aNodeClass({ userData: 'export TOKEN=SECRET' });
  const conditions = [
    { type: 'Ready', status: 'True' as const, reason: 'Ready', lastTransitionTime: '2026-01-31T07:00:00Z' },
  ];
  return {
    ...others,
    metadata: { ...metadata, annotations: MANIFEST },
    status: {
      conditions,
      subnets: zones.map((zone, at) => ({ id: `subnet-${at}`, zone, zoneID: `euw3-az${at + 1}` })),
    },
  };
}

/** A cluster of Karpenter with one node, one running and one pending pod. */
export function aCluster(over: Partial<LiveReader> = {}): LiveReader {
  return {
    listNodePools: async () => [aNodePool()],
    listNodeClasses: async () => [aClass()],
    listNodeClaims: async () => [aKarpenterClaim('general-a', 'i-0a1111111111')],
    listNodeOverlays: async () => [],
    listCapacityBuffers: async () => [],
    listPodTemplates: async () => [],
    listScalableWorkloads: async () => [],
    listNodes: async () => [aJoinedNode('general-a', 'i-0a1111111111')],
    listPods: async () => [
      runningPod('node-general-a', { name: 'web-1', annotations: MANIFEST }),
      pendingPod({ name: 'huge', requests: { cpu: '30' } }),
    ],
    listDaemonSets: async () => [],
    listPodDisruptionBudgets: async () => [],
    listNamespaces: async () => [{ metadata: { name: 'default', annotations: MANIFEST } }],
    listLimitRanges: async () => [],
    listVolumeAttachments: async () => [],
    readStorage: async () => ({ persistentVolumeClaims: [], persistentVolumes: [], storageClasses: [], csiNodes: [] }),
    ...over,
  };
}
