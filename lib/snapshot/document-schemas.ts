import type { CapacityBuffer } from '../apis/capacity-buffer.ts';
import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import type {
  Condition,
  DaemonSet,
  LimitRange,
  NamedPodTemplate,
  Namespace,
  Node,
  ObjectMeta,
  Pod,
  PodDisruptionBudget,
  ScalableWorkload,
  Service,
} from '../apis/kubernetes.ts';
import type { CapacityType } from '../apis/labels.ts';
import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodeOverlay } from '../apis/node-overlay.ts';
import type { NodePool } from '../apis/node-pool.ts';
import { CAPACITY_BUFFER_RESOURCE } from '../apis/schemas/capacity-buffer.ts';
import { EC2_NODE_CLASS } from '../apis/schemas/ec2-node-class.ts';
import { LIMIT_RANGE_SPEC } from '../apis/schemas/limit-range.ts';
import { NODE_CLAIM_RESOURCE } from '../apis/schemas/node-claim.ts';
import { NODE_OVERLAY_RESOURCE } from '../apis/schemas/node-overlay.ts';
import { NODE_POOL_RESOURCE } from '../apis/schemas/node-pool.ts';
import { COUNT, DATE_TIME, enumSchema, listOf, type Schema, STRING, STRINGS, TEXT } from '../apis/schemas/schema.ts';
import type {
  CsiNode,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from '../apis/storage.ts';
import type { Blocked } from '../core/model/decision.ts';
import type { FailingPool, RejectedNode, StoppedMethod } from '../core/model/disruption/pass-memory.ts';
import type { PastMove } from '../core/model/disruption/past-move.ts';
import { DISRUPTION_METHODS, type StoredCommand } from '../core/model/disruption-command.ts';
import type { NodeClaimRecord } from '../core/model/node-claim-record.ts';
import type { UnusedLaunches } from '../core/model/provisioning/unused-launches.ts';
import { type GivenInstanceType, INSTANCE_TYPE } from './instance-type-schema.ts';
import {
  CONDITION_LIST,
  METADATA,
  open,
  openResource,
  RESOURCE_LIST,
  SNAPSHOT_NODE_SELECTOR_TERM,
} from './open-schema.ts';
import { BUDGET, NAMED_POD_TEMPLATE, NODE, SERVICE, SNAPSHOT_POD, WORKLOAD } from './pod-schema.ts';
import {
  CAPACITY_TYPE,
  FAILING_POOL,
  NODE_CLAIM_RECORD,
  PAST_MOVE,
  REFUSED,
  REJECTED_NODE,
  STOPPED_METHOD,
  UNUSED_LAUNCHES,
} from './record-schema.ts';

/** A NodeClaim object of the cluster. */
export interface GivenNodeClaim {
  readonly metadata: ObjectMeta;
  readonly spec: NodeClaim['spec'];
  readonly status?: NodeClaim['status'];
}

/** A nomination of a node for pods. Without an end, it is still valid. */
export interface GivenNomination {
  readonly node: string;
  readonly until?: string;
}

export interface GivenUnavailableOffering {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
  readonly until?: string;
  readonly reason?: string;
  readonly subnetId?: string;
  readonly reservationId?: string;
  readonly placementGroupId?: string;
  readonly tenancy?: 'dedicated';
  readonly minVcpus?: number;
  readonly nodeClass?: string;
  readonly markedAt?: string;
}

/** The lists of a snapshot, after validation and with defaults. */
export interface SnapshotLists {
  readonly nodePools: readonly (NodePool & { readonly status?: { readonly conditions?: readonly Condition[] } })[];
  readonly nodeClasses: readonly EC2NodeClass[];
  readonly nodeClaims: readonly GivenNodeClaim[];
  readonly nodeOverlays: readonly NodeOverlay[];
  readonly instanceTypes: readonly GivenInstanceType[];
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly daemonSets: readonly DaemonSet[];
  readonly namespaces: readonly Namespace[];
  readonly limitRanges: readonly LimitRange[];
  readonly pvcs: readonly PersistentVolumeClaim[];
  readonly pvs: readonly PersistentVolume[];
  readonly storageClasses: readonly StorageClass[];
  readonly csiNodes: readonly CsiNode[];
  readonly volumeAttachments: readonly VolumeAttachment[];
  readonly pdbs: readonly PodDisruptionBudget[];
  readonly replicaSets: readonly ScalableWorkload[];
  readonly deployments: readonly ScalableWorkload[];
  readonly statefulSets: readonly ScalableWorkload[];
  readonly services: readonly Service[];
  readonly podTemplates: readonly NamedPodTemplate[];
  readonly capacityBuffers: readonly CapacityBuffer[];
  readonly commands: readonly StoredCommand[];
  /** Nodes whose commands were rejected. */
  readonly rejectedNodes: readonly RejectedNode[];
  /** The methods that have not evaluated every candidate. */
  readonly stoppedMethods: readonly StoppedMethod[];
  /** The NodePools whose last replacements failed. */
  readonly failingPools: readonly FailingPool[];
  /** What consolidation has moved. */
  readonly pastMoves: readonly PastMove[];
  /** The launches for pending pods that were bound to none of the nodes. */
  readonly unusedLaunches: readonly UnusedLaunches[];
  readonly nominations: readonly GivenNomination[];
  readonly unavailableOfferings: readonly GivenUnavailableOffering[];
  /** Records that replace `nodeClaims`: a claim in both lists is read from here. */
  readonly nodeClaimRecords: readonly NodeClaimRecord[];
  /** The virtual pods of CapacityBuffers. */
  readonly bufferPods: readonly Pod[];
  /** NodeOverlays and CapacityBuffers that are ignored, with the reasons. */
  readonly ignoredObjects: readonly Blocked[];
}

export type ListName = keyof SnapshotLists;

const STATUS = open({ conditions: CONDITION_LIST });

const NODE_CLAIM_STATUS = open({
  nodeName: STRING,
  providerID: STRING,
  imageID: STRING,
  capacity: RESOURCE_LIST,
  allocatable: RESOURCE_LIST,
  conditions: CONDITION_LIST,
  lastPodEventTime: DATE_TIME,
});

const CANDIDATE = open(
  {
    nodeClaim: STRING,
    nodePool: STRING,
    node: STRING,
    instanceType: STRING,
    zone: STRING,
    priceUsdPerHour: { type: 'number' },
  },
  ['nodeClaim', 'nodePool', 'node', 'instanceType', 'zone', 'priceUsdPerHour'],
);

const REPLACEMENT = open({ nodePool: STRING, instanceTypes: STRINGS, priceUsdPerHour: { type: 'number' } }, [
  'nodePool',
  'instanceTypes',
  'priceUsdPerHour',
]);

const COMMAND = open(
  {
    id: TEXT,
    method: enumSchema(...DISRUPTION_METHODS),
    reason: enumSchema('Underutilized', 'Empty', 'Drifted'),
    candidates: listOf(CANDIDATE),
    replacements: listOf(REPLACEMENT),
    state: enumSchema('proposed', 'replacing'),
    decidedAtMs: { type: 'number' },
    validateAtMs: { type: 'number' },
    replacingSinceMs: { type: 'number' },
    replacementClaims: STRINGS,
    savingUsdPerHour: { type: 'number' },
    evictions: COUNT,
    score: { type: 'number' },
  },
  ['id', 'method', 'reason', 'candidates', 'decidedAtMs', 'validateAtMs'],
);

const PERSISTENT_VOLUME = open(
  {
    metadata: METADATA,
    spec: open({
      nodeAffinity: open({
        required: open({ nodeSelectorTerms: listOf(SNAPSHOT_NODE_SELECTOR_TERM) }, ['nodeSelectorTerms']),
      }),
      csi: open({ driver: STRING, volumeHandle: STRING }, ['driver']),
      awsElasticBlockStore: open({ volumeID: STRING }),
    }),
  },
  ['metadata', 'spec'],
);

const STORAGE_CLASS = open(
  {
    metadata: METADATA,
    provisioner: STRING,
    volumeBindingMode: enumSchema('Immediate', 'WaitForFirstConsumer'),
    allowedTopologies: listOf(
      open({ matchLabelExpressions: listOf(open({ key: STRING, values: STRINGS }, ['key', 'values'])) }),
    ),
  },
  ['metadata', 'provisioner'],
);

const CSI_NODE = open(
  {
    metadata: METADATA,
    spec: open({ drivers: listOf(open({ name: STRING, allocatable: open({ count: COUNT }) }, ['name'])) }, ['drivers']),
  },
  ['metadata', 'spec'],
);

const VOLUME_ATTACHMENT = open(
  {
    metadata: METADATA,
    spec: open({ nodeName: STRING, source: open({ persistentVolumeName: STRING }) }, ['nodeName', 'source']),
  },
  ['metadata', 'spec'],
);

const CLAIM = open(
  {
    metadata: METADATA,
    spec: open({ storageClassName: STRING, volumeName: STRING }),
    status: open({ phase: enumSchema('Pending', 'Bound', 'Lost') }),
  },
  ['metadata', 'spec'],
);

/** The schema of the entries of each list. */
export const ENTRY_SCHEMAS: Readonly<Record<ListName, Schema>> = {
  nodePools: openResource(NODE_POOL_RESOURCE, STATUS),
  nodeClasses: openResource(EC2_NODE_CLASS, STATUS),
  nodeClaims: openResource(NODE_CLAIM_RESOURCE, NODE_CLAIM_STATUS),
  nodeOverlays: openResource(NODE_OVERLAY_RESOURCE, STATUS),
  capacityBuffers: openResource(CAPACITY_BUFFER_RESOURCE, STATUS),
  instanceTypes: INSTANCE_TYPE,
  nodes: NODE,
  pods: SNAPSHOT_POD,
  daemonSets: WORKLOAD,
  namespaces: open({ metadata: METADATA }, ['metadata']),
  limitRanges: open({ metadata: METADATA, spec: LIMIT_RANGE_SPEC }, ['metadata', 'spec']),
  pvcs: CLAIM,
  pvs: PERSISTENT_VOLUME,
  storageClasses: STORAGE_CLASS,
  csiNodes: CSI_NODE,
  volumeAttachments: VOLUME_ATTACHMENT,
  pdbs: BUDGET,
  replicaSets: WORKLOAD,
  deployments: WORKLOAD,
  statefulSets: WORKLOAD,
  services: SERVICE,
  podTemplates: NAMED_POD_TEMPLATE,
  commands: COMMAND,
  rejectedNodes: REJECTED_NODE,
  stoppedMethods: STOPPED_METHOD,
  failingPools: FAILING_POOL,
  pastMoves: PAST_MOVE,
  unusedLaunches: UNUSED_LAUNCHES,
  nominations: open({ node: TEXT, until: DATE_TIME }, ['node']),
  unavailableOfferings: open(
    {
      instanceType: TEXT,
      zone: TEXT,
      capacityType: CAPACITY_TYPE,
      until: DATE_TIME,
      reason: STRING,
      subnetId: STRING,
      reservationId: STRING,
      placementGroupId: STRING,
      tenancy: { enum: ['dedicated'] },
      minVcpus: COUNT,
      nodeClass: STRING,
      markedAt: DATE_TIME,
    },
    ['instanceType', 'zone', 'capacityType'],
  ),
  nodeClaimRecords: NODE_CLAIM_RECORD,
  bufferPods: SNAPSHOT_POD,
  ignoredObjects: REFUSED,
};

/** The kinds with fields that have defaults in the API server. */
export const WITH_DEFAULTS: ReadonlySet<ListName> = new Set<ListName>([
  'nodePools',
  'nodeClasses',
  'nodeClaims',
  'nodeOverlays',
  'capacityBuffers',
]);
