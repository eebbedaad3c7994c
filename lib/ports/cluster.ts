import type { CapacityBuffer } from '../apis/capacity-buffer.ts';
import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import type {
  DaemonSet,
  LimitRange,
  NamedPodTemplate,
  Namespace,
  Node,
  Pod,
  PodDisruptionBudget,
  ScalableWorkload,
} from '../apis/kubernetes.ts';
import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodeOverlay } from '../apis/node-overlay.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type { PersistentVolumeClaim, Storage, VolumeAttachment } from '../apis/storage.ts';
import type { ClusterClaim } from '../core/cluster/cluster-claim.ts';
import type { PodNomination } from '../core/cluster/nominated-node.ts';
import type { AutoscalerTraces } from '../core/cluster/other-autoscalers.ts';
import type { PodTarget } from '../core/model/decision.ts';
import type { ClusterEvent } from '../core/model/event.ts';
import type { NodePatch, NodeTarget } from '../core/model/node-patch.ts';
import type { ObjectPatch } from '../core/model/object-patch.ts';
import type { NodeClassPatch } from '../core/node-class/status/decide-node-class.ts';

/** The kinds that a CapacityBuffer may refer to (A5.4). */
export type ScalableKind = 'Deployment' | 'StatefulSet' | 'ReplicaSet';

export type EvictionOutcome =
  | { readonly kind: 'evicted' }
  /** The pod does not exist any more, another pod has its name, or its namespace is being deleted. */
  | { readonly kind: 'gone' }
  /** A PodDisruptionBudget refuses the eviction now, or two of them select the pod. An overloaded API server is a failure. */
  | { readonly kind: 'blocked'; readonly message: string };

/** Reads objects of one cluster. */
export interface ClusterReader {
  /** Pods without a node: a cheap read that decides whether a run continues. */
  listUnboundPods(): Promise<readonly Pod[]>;
  listPods(): Promise<readonly Pod[]>;
  listPodsOnNode(node: string): Promise<readonly Pod[]>;
  listNodes(): Promise<readonly Node[]>;
  /** The current state of one node. */
  readNode(name: string): Promise<Node | undefined>;
  listNodePools(): Promise<readonly NodePool[]>;
  listNodeClasses(): Promise<readonly EC2NodeClass[]>;
  listDaemonSets(): Promise<readonly DaemonSet[]>;
  listPodDisruptionBudgets(): Promise<readonly PodDisruptionBudget[]>;
  listNodeClaims(): Promise<readonly NodeClaim[]>;
  listNodeOverlays(): Promise<readonly NodeOverlay[]>;
  listCapacityBuffers(): Promise<readonly CapacityBuffer[]>;
  listPodTemplates(): Promise<readonly NamedPodTemplate[]>;
  listNamespaces(): Promise<readonly Namespace[]>;
  listVolumeAttachments(): Promise<readonly VolumeAttachment[]>;
  listPersistentVolumeClaims(): Promise<readonly PersistentVolumeClaim[]>;
  /** Everything that decides in which zones volumes can be used. *Cost:* four lists. */
  readStorage(): Promise<Storage>;
  listScalableWorkloads(kind: ScalableKind): Promise<readonly ScalableWorkload[]>;
  /**
   * The signs of Karpenter and of other deployments of Kerf, at most 15 s old. *Shape:* kinds that Kerf may not read are part of
   * the result and not an error.
   */
  findOtherAutoscalers(): Promise<AutoscalerTraces>;
  /** The names of NodePools of EKS Auto Mode, at most 15 s old. */
  listAutoModePools(): Promise<readonly string[]>;
}

/** Reads what only commands need, with the rights of their user. The roles of the functions do not allow it. */
export interface LimitRangeReader {
  /** The API server has applied them to existing pods; they apply to pods that a plan adds. */
  listLimitRanges(): Promise<readonly LimitRange[]>;
}

/** Writes nodes, pods and the NodeClaim objects that mirror the records. */
export interface ClusterWriter {
  patchNode(node: NodeTarget, patch: NodePatch): Promise<void>;
  /** Requests the deletion of the node. Its finalizers decide when it is removed. */
  deleteNode(name: string): Promise<void>;
  /**
   * Evicts exactly this pod through the Eviction API; in a namespace that is being deleted, which accepts no evictions, it deletes the pod.
   * A new pod of the same name is not evicted.
   */
  evictPod(pod: PodTarget): Promise<EvictionOutcome>;
  /** Deletes the pod without regard to PodDisruptionBudgets. */
  deletePod(pod: PodTarget, graceSeconds: number): Promise<void>;
  /**
   * B66: changes the node that Kerf nominates for exactly this pod, unless the pod has a node, or its nomination is not `before`.
   * *Shape:* whether it was written.
   */
  nominatePod(nomination: PodNomination): Promise<boolean>;
  /**
   * Creates the mirror of a claim, or updates its labels, annotations, finalizers and status. *Errors:* ConflictError if it has a uid,
   * and no object with this uid exists: a mirror that was removed meanwhile is not created again.
   */
  applyNodeClaim(nodeClaim: NodeClaim): Promise<void>;
  /** Requests the deletion of the mirror. Its finalizers decide when it is removed. */
  deleteNodeClaim(name: string): Promise<void>;
  /** Removes Kerf's finalizer from the mirror and deletes it. */
  removeNodeClaim(name: string): Promise<void>;
  /**
   * Claims the cluster for this deployment, unless another one holds it. Of two claims at the same time, one is refused.
   * *Shape:* the claim afterwards.
   */
  claimCluster(): Promise<ClusterClaim>;
}

/**
 * Writes the conditions, finalizers and annotations of users' objects.
 * *Shape:* the patched object, to be patched further; undefined if it does not exist, or if the patch removed its last finalizer.
 */
export interface StatusWriter {
  patchNodePool(nodePool: NodePool, patch: ObjectPatch<NodePool['status']>): Promise<NodePool | undefined>;
  patchNodeClass(nodeClass: EC2NodeClass, patch: NodeClassPatch): Promise<EC2NodeClass | undefined>;
  /** Patches a NodeClaim that has no record. NodeClaims with a record are mirrors. */
  patchNodeClaim(nodeClaim: NodeClaim, patch: ObjectPatch<NodeClaim['status']>): Promise<NodeClaim | undefined>;
  patchNodeOverlay(overlay: NodeOverlay, patch: ObjectPatch<NodeOverlay['status']>): Promise<NodeOverlay | undefined>;
  patchCapacityBuffer(
    buffer: CapacityBuffer,
    patch: ObjectPatch<CapacityBuffer['status']>,
  ): Promise<CapacityBuffer | undefined>;
}

export interface EventWriter {
  /** Publishes a Kubernetes Event, unless any function published the same Event within its quiet time (F16). */
  publishEvent(event: ClusterEvent): Promise<void>;
}

/**
 * The API of one Kubernetes cluster.
 *
 * *Contract* (`test/contract/cluster.ts`):
 * - A list is the state at one moment.
 * - A write to an object that does not exist is success and changes nothing.
 * - A patch fails with ConflictError if its target names a resourceVersion that is not the current one.
 * - NodePools and NodeClaims of EKS Auto Mode are not listed.
 *
 * *Errors:* ConflictError, UnreachableError, RefusedError.
 */
export interface Cluster extends ClusterReader, ClusterWriter, StatusWriter, EventWriter {}
