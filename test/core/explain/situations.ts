import type { CapacityType } from '../../../lib/apis/labels.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import type { Reason } from '../../../lib/core/model/reasons.ts';
import { someTypes } from '../../builders/instance-types.ts';
import { aPoolView, asking } from '../../builders/node-pools.ts';
import { aBudget } from '../../builders/nodes.ts';
import { pendingPod, runningPod } from '../../builders/pods.ts';
import { aSnapshot, initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { HOUR, MINUTE, NOW_MS } from '../../builders/times.ts';

/** Clusters about which a person on call asks, with the reason that the answer must name. */
export interface Situation {
  readonly title: string;
  readonly snapshot: ClusterSnapshot;
  readonly reason: Reason;
  /** What the message must have: names and numbers. */
  readonly message: RegExp;
}

const SMALL = { cpu: '100m', memory: '100Mi' } as const;

function pending(over: Parameters<typeof pendingPod>[0], snapshot: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  return aSnapshot({ ...snapshot, pods: [...(snapshot.pods ?? []), pendingPod({ name: 'asked', ...over })] });
}

const APP = { app: 'asked' };
const SELECTS_APP = { labelSelector: { matchLabels: APP } };

/** Pod `default/asked` is pending. */
export const PENDING: readonly Situation[] = [
  {
    title: 'it is larger than every instance type',
    snapshot: pending({ requests: { cpu: '500' } }),
    reason: 'InsufficientResources',
    message: /needs 500 cpu/,
  },
  {
    title: 'the limits of the NodePool are reached',
    snapshot: pending({}, { nodePools: [aPoolView({ limits: { cpu: '1' } })] }),
    reason: 'LimitExceeded',
    message: /cpu/,
  },
  {
    title: 'it does not tolerate the taint of the NodePool',
    snapshot: pending({}, { nodePools: [aPoolView({ taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] })] }),
    reason: 'Taint',
    message: /gpu/,
  },
  {
    title: 'its node selector names a label that the NodePool has not',
    snapshot: pending({ spec: { nodeSelector: { team: 'data' } } }),
    reason: 'Label',
    message: /team/,
  },
  {
    title: 'its node selector names an instance type that does not exist',
    snapshot: pending({ spec: { nodeSelector: { 'node.kubernetes.io/instance-type': 'm9.huge' } } }),
    reason: 'NoInstanceTypes',
    message: /m9\.huge/,
  },
  {
    title: 'its zone has no offering',
    snapshot: pending({ spec: { nodeSelector: { 'topology.kubernetes.io/zone': 'eu-west-3z' } } }),
    reason: 'NoOffering',
    message: /3 instance types fit.*eu-west-3z/,
  },
  {
    title: 'no NodePool exists',
    snapshot: pending({}, { nodePools: [] }),
    reason: 'NoNodePool',
    message: /NodePool/,
  },
  {
    title: 'EC2 had no capacity for most offerings',
    snapshot: pending(
      {},
      {
        unavailable: ['m5.large', 'm5.xlarge', 'm5.2xlarge'].flatMap((instanceType) =>
          ['eu-west-3a', 'eu-west-3b', 'eu-west-3c'].map((zone) => ({
            instanceType,
            zone,
            capacityType: 'spot' as const,
            untilMs: NOW_MS + 3 * MINUTE,
            markedAtMs: NOW_MS,
            reason: 'InsufficientInstanceCapacity',
          })),
        ),
        nodePools: [
          aPoolView({
            requirements: [asking('karpenter.sh/capacity-type', 'In', 'spot')],
            types: someTypes().map((type) => ({
              ...type,
              offerings: type.offerings.map((one) => ({ ...one, available: one.zone === 'eu-west-3a' })),
            })),
          }),
        ],
      },
    ),
    reason: 'NoCapacity',
    message: /9 compatible offerings had no capacity .*, 3 others/,
  },
  {
    title: 'its EC2NodeClass is not ready',
    snapshot: pending(
      {},
      { nodePools: [aPoolView({ unusable: { reason: 'NodeClassNotReady', message: 'SubnetsReady is False' } })] },
    ),
    reason: 'NodeClassNotReady',
    message: /SubnetsReady/,
  },
  {
    title: 'its NodePool is being deleted',
    snapshot: pending({}, { nodePools: [aPoolView({ deletionTimestamp: '2026-01-01T00:00:00Z' })] }),
    reason: 'Deleting',
    message: /general|delet/,
  },
  {
    title: 'its PersistentVolumeClaim does not exist',
    snapshot: pending(
      { spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-0' } }] } },
      {
        storage: {
          persistentVolumeClaims: [],
          persistentVolumes: [],
          storageClasses: [],
          csiNodes: [],
        },
      },
    ),
    reason: 'PersistentVolumeClaimMissing',
    message: /data-0/,
  },
  {
    title: 'its required pod affinity selects nothing',
    snapshot: pending({
      spec: {
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { labelSelector: { matchLabels: { app: 'absent' } }, topologyKey: 'topology.kubernetes.io/zone' },
            ],
          },
        },
      },
    }),
    reason: 'PodAffinity',
    message: /zone/,
  },
  {
    title: 'its required anti-affinity excludes every zone',
    snapshot: pending(
      {
        labels: APP,
        spec: {
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { ...SELECTS_APP, topologyKey: 'topology.kubernetes.io/region' },
              ],
            },
          },
        },
      },
      {
        nodes: [initializedNode({ name: 'node-1', labels: { 'topology.kubernetes.io/region': 'eu-west-3' } }).node],
        nodeClaims: [initializedNode({ name: 'node-1' }).nodeClaim],
        pods: [runningPod('node-1', { name: 'other', labels: APP })],
      },
    ),
    reason: 'PodAntiAffinity',
    message: /region/,
  },
];

interface Node {
  readonly pool?: Parameters<typeof aPoolView>[0];
  readonly pod?: Parameters<typeof runningPod>[1];
  readonly over?: Partial<ClusterSnapshot>;
  readonly capacityType?: CapacityType;
  /** Fields of the Node, and of its record. */
  readonly node?: Parameters<typeof initializedNode>[0];
  readonly claim?: Parameters<typeof initializedNode>[1];
}

/** A node of m5.2xlarge that could be replaced by m5.large, because its only pod needs little. */
function kept({ pool = {}, pod = {}, over = {}, capacityType = 'on-demand', node, claim }: Node): ClusterSnapshot {
  const allocatable = { cpu: '8', memory: '32Gi', pods: '58' };
  const labels = {
    'node.kubernetes.io/instance-type': 'm5.2xlarge',
    'karpenter.sh/capacity-type': capacityType,
  };
  return snapshotOf([initializedNode({ name: 'asked', allocatable, labels, ...node }, claim)], {
    nodePools: [
      aPoolView({
        requirements: [asking('karpenter.sh/capacity-type', 'In', 'on-demand')],
        ...pool,
        disruption: { budgets: [{ nodes: '100%' }], ...pool.disruption },
      }),
    ],
    pods: [runningPod('asked', { name: 'web-1', requests: SMALL, ...pod })],
    ...over,
  });
}

const PDB = aBudget({ spec: { selector: { matchLabels: APP }, minAvailable: 1 } });

/** Node `asked` stays. */
export const KEPT: readonly Situation[] = [
  {
    title: 'a pod has the annotation do-not-disrupt',
    snapshot: kept({ pod: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } }),
    reason: 'DoNotDisrupt',
    message: /default\/web-1/,
  },
  {
    title: 'a PodDisruptionBudget allows no disruption',
    snapshot: kept({ pod: { labels: APP }, over: { podDisruptionBudgets: [PDB] } }),
    reason: 'PDB',
    message: /PodDisruptionBudget web allows no disruption/,
  },
  {
    title: 'two PodDisruptionBudgets select a pod',
    snapshot: kept({
      pod: { labels: APP },
      over: { podDisruptionBudgets: [PDB, { ...PDB, metadata: { ...PDB.metadata, name: 'second' } }] },
    }),
    reason: 'MultiplePDBs',
    message: /default\/web-1/,
  },
  {
    title: 'the budgets of the NodePool allow no node',
    snapshot: kept({ pool: { disruption: { budgets: [{ nodes: '0' }] } } }),
    reason: 'BudgetExhausted',
    message: /0/,
  },
  {
    title: 'a schedule closes the budget',
    snapshot: kept({ pool: { disruption: { budgets: [{ nodes: '0', schedule: '0 0 * * *', duration: '23h' }] } } }),
    reason: 'BudgetExhausted',
    message:
      /allows 0 disruptions at once, .* by the schedule "0 0 \* \* \*" for 23h, which ends at 2026-01-31T23:00:00Z/,
  },
  {
    title: 'it has drifted, and the budget allows no drifted node',
    snapshot: kept({
      claim: { drift: { reason: 'NodePoolDrifted', message: 'hash', sinceMs: NOW_MS - HOUR } },
      pool: { disruption: { consolidateAfter: 'Never', budgets: [{ nodes: '0', reasons: ['Drifted'] }] } },
    }),
    reason: 'BudgetExhausted',
    message: /^the budget for Drifted allows 0 disruptions at once/,
  },
  {
    title: 'the node has the annotation do-not-disrupt',
    snapshot: kept({ node: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } }),
    reason: 'DoNotDisrupt',
    message: /^the node has the annotation/,
  },
  {
    title: 'minValues of the NodePool leaves no cheaper types',
    snapshot: kept({
      pool: {
        requirements: [
          asking('karpenter.sh/capacity-type', 'In', 'on-demand'),
          { ...asking('node.kubernetes.io/instance-type', 'Exists'), minValues: 3 },
        ],
      },
    }),
    reason: 'MinValues',
    message: /have 2 values of node\.kubernetes\.io\/instance-type, and minValues requires 3/,
  },
  {
    title: 'its NodePool has a fixed number of nodes',
    snapshot: kept({ pool: { replicas: 1 } }),
    reason: 'StaticCapacity',
    message: /spec\.replicas: 1/,
  },
  {
    title: 'consolidateAfter has not passed',
    snapshot: kept({ pool: { disruption: { consolidateAfter: '2h' } } }),
    reason: 'ConsolidateAfter',
    message: /2h|1h/,
  },
  {
    title: 'consolidateAfter is Never',
    snapshot: kept({ pool: { disruption: { consolidateAfter: 'Never' } } }),
    reason: 'ConsolidateAfterNever',
    message: /Never/,
  },
  {
    title: 'the policy allows only empty nodes to be removed',
    snapshot: kept({ pool: { disruption: { consolidationPolicy: 'WhenEmpty' } } }),
    reason: 'ConsolidationPolicy',
    message: /WhenEmpty/,
  },
  {
    title: 'it is reserved for a pending pod',
    snapshot: kept({ over: { nominated: ['asked'] } }),
    reason: 'Nominated',
    message: /pods/,
  },
  {
    title: 'its pods need a node that costs as much',
    snapshot: kept({ pod: { requests: { cpu: '5', memory: '1Gi' } } }),
    reason: 'NotCheaper',
    message: /\$0\.\d+/,
  },
  {
    title: 'the move saves less than the NodePool requires',
    snapshot: kept({ pool: { poolAnnotations: { 'kerf.dev/minimum-saving': '$5.00' } } }),
    reason: 'MinimumSaving',
    message: /would save \$0\.3\/h.*requires \$5\/h/,
  },
  {
    title: 'consolidation launched it a short time ago',
    snapshot: kept({
      pool: { poolAnnotations: { 'kerf.dev/disruption-cool-down': '2h' } },
      over: {
        pastMoves: [
          { command: 'c', atMs: NOW_MS - HOUR, untilMs: NOW_MS + HOUR, launched: ['claim-asked'], evicted: {} },
        ],
      },
    }),
    reason: 'CoolDown',
    message: /is 2h: .* from 2026-01-31T09:00:00Z/,
  },
  {
    title: 'its pods would have no place',
    snapshot: kept({
      pod: { requests: { cpu: '500m' }, spec: { nodeSelector: { rack: 'r1' } } },
      pool: { disruption: {} },
    }),
    reason: 'NoPlaceForPods',
    message: /default\/web-1/,
  },
  {
    title: 'the pods of a spot node need a new spot node',
    snapshot: kept({
      pool: { requirements: [asking('karpenter.sh/capacity-type', 'In', 'spot')] },
      capacityType: 'spot',
    }),
    reason: 'SpotToSpotDisabled',
    message: /spot/,
  },
];
