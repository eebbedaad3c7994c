import type { CapacityBuffer } from '../apis/capacity-buffer.ts';
import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import type {
  Condition,
  DaemonSet,
  NamedPodTemplate,
  Namespace,
  Node,
  ObjectMeta,
  Pod,
  PodDisruptionBudget,
  ResourceList,
  ScalableWorkload,
  Service,
} from '../apis/kubernetes.ts';
import type { CapacityType } from '../apis/labels.ts';
import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodeOverlay } from '../apis/node-overlay.ts';
import type { NodePool } from '../apis/node-pool.ts';
import { CAPACITY_BUFFER_RESOURCE } from '../apis/schemas/capacity-buffer.ts';
import { EC2_NODE_CLASS } from '../apis/schemas/ec2-node-class.ts';
import { NODE_CLAIM_RESOURCE } from '../apis/schemas/node-claim.ts';
import { NODE_OVERLAY_RESOURCE } from '../apis/schemas/node-overlay.ts';
import { NODE_POOL_RESOURCE } from '../apis/schemas/node-pool.ts';
import {
  BOOLEAN,
  COUNT,
  DATE_TIME,
  enumSchema,
  listOf,
  type Schema,
  STRING,
  STRING_MAP,
  STRINGS,
  TEXT,
} from '../apis/schemas/schema.ts';
import type { CsiNode, PersistentVolume, PersistentVolumeClaim, StorageClass } from '../apis/storage.ts';
import type { NodePoolView } from '../core/model/cluster-snapshot.ts';
import type { Blocked } from '../core/model/decision.ts';
import { DISRUPTION_METHODS, type StoredCommand } from '../core/model/disruption-command.ts';
import type { LaunchTraits, Reservation } from '../core/model/instance-type.ts';
import type { NodeClaimRecord } from '../core/model/node-claim-record.ts';
import type { WorkloadSelector } from '../core/model/settings.ts';
import {
  CONDITION_LIST,
  METADATA,
  open,
  openResource,
  RESOURCE_LIST,
  SIGNED_RESOURCE_LIST,
  SNAPSHOT_NODE_SELECTOR_TERM,
} from './open-schema.ts';
import { BUDGET, NAMED_POD_TEMPLATE, NODE, OVERHEAD, SERVICE, SNAPSHOT_POD, WORKLOAD } from './pod-schema.ts';
import { CAPACITY_TYPE, NODE_CLAIM_RECORD, REFUSED } from './record-schema.ts';

/** A NodeClaim object of the cluster. */
export interface GivenNodeClaim {
  readonly metadata: ObjectMeta;
  readonly spec: NodeClaim['spec'];
  readonly status?: NodeClaim['status'];
}

export interface GivenOffering {
  readonly capacityType: CapacityType;
  readonly zone: string;
  readonly zoneId?: string;
  /** USD per hour. */
  readonly price: number;
  readonly available?: boolean;
  /** For reserved capacity. */
  readonly reservationId?: string;
  /** The number of available instances of the reservation. */
  readonly reservationCapacity?: number;
  readonly reservationKind?: NonNullable<Reservation['kind']>;
  /** The allocatable resources of its nodes. @default those of the type */
  readonly allocatable?: ResourceList;
  readonly priceOverlaid?: true;
}

export interface GivenInstanceType {
  readonly name: string;
  readonly capacity: ResourceList;
  /** Separate lists for kubeReserved, systemReserved and evictionThreshold, or one list with the sums. */
  readonly overhead?: Readonly<Record<string, ResourceList | string | number>>;
  /** Values by label; an empty list means that the label is absent. */
  readonly requirements?: Readonly<Record<string, readonly string[]>>;
  readonly offerings: readonly GivenOffering[];
  /** The allocatable resources of its nodes. @default capacity minus overhead */
  readonly allocatable?: ResourceList;
  /** The NodePools to which this entry applies; several entries may then have the same name. @default all NodePools */
  readonly nodePools?: readonly string[];
  readonly capacityOverlaid?: true;
  readonly launch?: LaunchTraits;
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
  readonly pvcs: readonly PersistentVolumeClaim[];
  readonly pvs: readonly PersistentVolume[];
  readonly storageClasses: readonly StorageClass[];
  readonly csiNodes: readonly CsiNode[];
  readonly volumeAttachments: readonly object[];
  readonly pdbs: readonly PodDisruptionBudget[];
  readonly replicaSets: readonly ScalableWorkload[];
  readonly deployments: readonly ScalableWorkload[];
  readonly statefulSets: readonly ScalableWorkload[];
  readonly services: readonly Service[];
  readonly podTemplates: readonly NamedPodTemplate[];
  readonly capacityBuffers: readonly CapacityBuffer[];
  readonly commands: readonly StoredCommand[];
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

const OFFERING = open(
  {
    capacityType: CAPACITY_TYPE,
    zone: TEXT,
    zoneId: STRING,
    price: { type: 'number', minimum: 0 },
    available: BOOLEAN,
    reservationId: TEXT,
    reservationCapacity: COUNT,
    reservationKind: enumSchema('default', 'capacity-block', 'interruptible'),
    allocatable: SIGNED_RESOURCE_LIST,
    priceOverlaid: BOOLEAN,
  },
  ['capacityType', 'zone', 'price'],
);

const INSTANCE_TYPE = open(
  {
    name: TEXT,
    capacity: RESOURCE_LIST,
    overhead: OVERHEAD,
    requirements: { type: 'object', additionalProperties: STRINGS },
    offerings: listOf(OFFERING),
    allocatable: SIGNED_RESOURCE_LIST,
    nodePools: STRINGS,
    capacityOverlaid: BOOLEAN,
    launch: open({ imageLabels: STRING_MAP, kubelet: open({}), efaInterfacesByCard: listOf({ type: 'number' }) }),
  },
  ['name', 'capacity', 'offerings'],
);

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
  pvcs: CLAIM,
  pvs: PERSISTENT_VOLUME,
  storageClasses: STORAGE_CLASS,
  csiNodes: CSI_NODE,
  volumeAttachments: { type: 'object' },
  pdbs: BUDGET,
  replicaSets: WORKLOAD,
  deployments: WORKLOAD,
  statefulSets: WORKLOAD,
  services: SERVICE,
  podTemplates: NAMED_POD_TEMPLATE,
  commands: COMMAND,
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
      markedAt: DATE_TIME,
    },
    ['instanceType', 'zone', 'capacityType'],
  ),
  nodeClaimRecords: NODE_CLAIM_RECORD,
  bufferPods: SNAPSHOT_POD,
  ignoredObjects: REFUSED,
};

/** The schema of the other fields. */
export const HEAD_SCHEMA: Schema = open({
  formatVersion: { type: 'integer', minimum: 1, maximum: 1 },
  name: STRING,
  description: STRING,
  seed: { type: 'number' },
  instanceTypesFile: TEXT,
  instanceTypeNames: STRINGS,
  nodePoolInstanceTypes: { type: 'object', additionalProperties: STRINGS },
  complete: BOOLEAN,
  epoch: COUNT,
  unusableNodePools: {
    type: 'object',
    additionalProperties: open({ reason: TEXT, message: STRING }, ['reason', 'message']),
  },
  options: open({
    preferencePolicy: enumSchema('Respect', 'Ignore'),
    minValuesPolicy: enumSchema('Strict', 'BestEffort'),
    reservedCapacity: BOOLEAN,
    spotToSpotConsolidation: BOOLEAN,
    fleetConsolidation: BOOLEAN,
    staticCapacity: BOOLEAN,
    now: DATE_TIME,
    reservedFallback: BOOLEAN,
    ignoreAtZero: listOf(open({ namespace: TEXT, labels: STRING_MAP })),
  }),
});

export interface SnapshotHead {
  readonly formatVersion?: 1;
  readonly name?: string;
  readonly description?: string;
  readonly seed?: number;
  readonly instanceTypesFile?: string;
  readonly instanceTypeNames?: readonly string[];
  readonly nodePoolInstanceTypes?: Readonly<Record<string, readonly string[]>>;
  /** The snapshot is complete: absent objects do not exist in the cluster, and no defaults are added. @default false */
  readonly complete?: boolean;
  readonly epoch?: number;
  /** Why NodePools cannot launch nodes. @default from their status and that of their NodeClass */
  readonly unusableNodePools?: Readonly<Record<string, NonNullable<NodePoolView['unusable']>>>;
  readonly options?: {
    readonly preferencePolicy?: 'Respect' | 'Ignore';
    readonly minValuesPolicy?: 'Strict' | 'BestEffort';
    readonly reservedCapacity?: boolean;
    readonly spotToSpotConsolidation?: boolean;
    readonly fleetConsolidation?: boolean;
    readonly staticCapacity?: boolean;
    readonly now?: string;
    readonly reservedFallback?: boolean;
    /** @default as in the settings: pods of kube-system */
    readonly ignoreAtZero?: readonly WorkloadSelector[];
  };
}

/** The kinds with fields that have defaults in the API server. */
export const WITH_DEFAULTS: ReadonlySet<ListName> = new Set<ListName>([
  'nodePools',
  'nodeClasses',
  'nodeClaims',
  'nodeOverlays',
  'capacityBuffers',
]);
