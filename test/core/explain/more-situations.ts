import { aPoolView, asking } from '../../builders/node-pools.ts';
import { pendingPod, runningPod } from '../../builders/pods.ts';
import { aSnapshot, initializedNode } from '../../builders/snapshots.ts';
import { aVolume, aVolumeClaim } from '../../builders/storage.ts';
import type { Situation } from './situations.ts';

const NODE = initializedNode({ name: 'node-1', allocatable: { cpu: '2', memory: '8Gi', pods: '29' } });
const WITH_NODE = { nodes: [NODE.node], nodeClaims: [NODE.nodeClaim] };

/** A volume that nodes of one zone can reach, and a pod with it. */
function withVolumeIn(zone: string, nodeSelector = {}) {
  const terms = [
    { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In' as const, values: [zone] }] },
  ];
  const storage = {
    persistentVolumeClaims: [aVolumeClaim({ volume: 'pv-1' })],
    persistentVolumes: [aVolume({ terms })],
    storageClasses: [],
    csiNodes: [],
  };
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  return aSnapshot({ storage, pods: [pendingPod({ name: 'asked', spec: { nodeSelector, volumes } })] });
}

const PORT_80 = {
  containers: [
    { name: 'main', ports: [{ containerPort: 80, hostPort: 80 }], resources: { requests: { cpu: '100m' } } },
  ],
};

/** Pod `default/asked` is pending, for a reason that is not in its requests or labels alone. */
export const PENDING_BY_OTHERS: readonly Situation[] = [
  {
    title: 'its volume is in a zone without offerings',
    snapshot: withVolumeIn('eu-west-3z'),
    reason: 'NoOffering',
    message: /eu-west-3z.*; the volume of PersistentVolumeClaim data restricts topology\.kubernetes\.io\/zone$/,
  },
  {
    title: 'its volume and its node selector name different zones',
    snapshot: withVolumeIn('eu-west-3a', { 'topology.kubernetes.io/zone': 'eu-west-3b' }),
    reason: 'NoOffering',
    message:
      /^its requirements for topology\.kubernetes\.io\/zone leave no value; the volume of PersistentVolumeClaim data/,
  },
  {
    title: 'its host port is taken on the only node',
    snapshot: aSnapshot({
      ...WITH_NODE,
      nodePools: [aPoolView({ limits: { nodes: '1' } })],
      pods: [runningPod('node-1', { spec: PORT_80 }), pendingPod({ name: 'asked', spec: PORT_80 })],
    }),
    reason: 'NoNode',
    message: /^no existing node fits: 1 has a host port conflict$/,
  },
  {
    title: 'the limit of nodes is reached',
    snapshot: aSnapshot({
      ...WITH_NODE,
      nodePools: [aPoolView({ limits: { nodes: '1' } })],
      pods: [pendingPod({ name: 'asked', requests: { cpu: '3' } })],
    }),
    reason: 'LimitExceeded',
    message: /limit of 1 nodes is reached/,
  },
  {
    title: 'it must be on the host of a pod whose node is full',
    snapshot: aSnapshot({
      ...WITH_NODE,
      pods: [
        runningPod('node-1', { name: 'db', labels: { app: 'db' } }),
        pendingPod({
          name: 'asked',
          requests: { cpu: '1900m' },
          spec: {
            affinity: {
              podAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: [
                  { labelSelector: { matchLabels: { app: 'db' } }, topologyKey: 'kubernetes.io/hostname' },
                ],
              },
            },
          },
        }),
      ],
    }),
    reason: 'NoNode',
    message: /1 has insufficient cpu \(largest free 1\.5\)/,
  },
  {
    title: 'minValues of the NodePool leaves no instance types',
    snapshot: aSnapshot({
      nodePools: [
        aPoolView({ requirements: [{ ...asking('node.kubernetes.io/instance-type', 'Exists'), minValues: 5 }] }),
      ],
      pods: [pendingPod({ name: 'asked' })],
    }),
    reason: 'MinValues',
    message: /requires 5 values .* but 3 would remain/,
  },
  {
    title: 'its spread needs more zones than the NodePool has',
    snapshot: aSnapshot({
      ...WITH_NODE,
      nodePools: [aPoolView({ requirements: [asking('topology.kubernetes.io/zone', 'In', 'eu-west-3a')] })],
      pods: [
        runningPod('node-1', { name: 'other', labels: { app: 'asked' } }),
        pendingPod({
          name: 'asked',
          labels: { app: 'asked' },
          spec: {
            topologySpreadConstraints: [
              {
                maxSkew: 1,
                minDomains: 3,
                topologyKey: 'topology.kubernetes.io/zone',
                whenUnsatisfiable: 'DoNotSchedule',
                labelSelector: { matchLabels: { app: 'asked' } },
              },
            ],
          },
        }),
      ],
    }),
    reason: 'TopologySpread',
    message: /maxSkew 1 \(minDomains is 3, but there is 1 domain/,
  },
  {
    title: 'no instance type has its GPU',
    snapshot: aSnapshot({ pods: [pendingPod({ name: 'asked', requests: { cpu: '1', 'nvidia.com/gpu': '1' } })] }),
    reason: 'InsufficientResources',
    message: /needs 1 nvidia\.com\/gpu, but .* offers 0/,
  },
  {
    title: 'the only NodePool has a fixed number of nodes',
    snapshot: aSnapshot({ nodePools: [aPoolView({ replicas: 2 })], pods: [pendingPod({ name: 'asked' })] }),
    reason: 'StaticCapacity',
    message: /spec\.replicas: 2/,
  },
];
