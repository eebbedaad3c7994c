import type { CapacityBuffer } from '../apis/capacity-buffer.ts';
import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import type {
  DaemonSet,
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
import type { Storage } from '../apis/storage.ts';
import type { AutoscalerTraces } from '../core/cluster/other-autoscalers.ts';
import type { PodTarget } from '../core/model/decision.ts';
import type { ClusterEvent } from '../core/model/event.ts';
import type { NodePatch, NodeTarget } from '../core/model/node-patch.ts';
import type { ObjectPatch } from '../core/model/object-patch.ts';
import type { NodeClassPatch } from '../core/node-class/status/decide-node-class.ts';

/** The kinds that a CapacityBuffer may keep room for (A5.4). */
export type ScalableKind = 'Deployment' | 'StatefulSet' | 'ReplicaSet';

export type EvictionOutcome =
  | { readonly kind: 'evicted' }
  /** Not there any more, another pod of that name by now, or on its way with its namespace. */
  | { readonly kind: 'gone' }
  /** A PodDisruptionBudget forbids it just now (HTTP 429). */
  | { readonly kind: 'blocked'; readonly message: string };

/**
 * One Kubernetes cluster's API.
 *
 * *Contract* (`test/contract/cluster.ts`): what a list returns was true at one moment; a write to an object that is gone
 * is success and changes nothing; a patch refuses with ConflictError where its target names a resourceVersion that is not
 * the object's any more. What a patch answers is the object as it is then, to be patched further; undefined where it is
 * gone, with its last finalizer at the latest. NodePools and NodeClaims of EKS Auto Mode are not shown.
 *
 * *Errors:* ConflictError, UnreachableError, RefusedError.
 */
export interface Cluster {
  /** Pods without a node: the cheap first look. */
  listUnboundPods(): Promise<readonly Pod[]>;
  listPods(): Promise<readonly Pod[]>;
  listPodsOnNode(node: string): Promise<readonly Pod[]>;
  listNodes(): Promise<readonly Node[]>;
  /** One of them, as it is now. */
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
  /** All that decides where volumes may be: four lists. */
  readStorage(): Promise<Storage>;
  listScalableWorkloads(kind: ScalableKind): Promise<readonly ScalableWorkload[]>;
  /** What Karpenter and EKS Auto Mode show of themselves; at most 15 s old. What may not be read is said, and is no error. */
  findRivals(): Promise<AutoscalerTraces>;

  patchNode(node: NodeTarget, patch: NodePatch): Promise<void>;
  /** Asks the API server to delete it; its finalizers decide when it goes. */
  deleteNode(name: string): Promise<void>;
  /** Through the Eviction API, for exactly this pod: a new pod of the same name is left alone. */
  evictPod(pod: PodTarget): Promise<EvictionOutcome>;
  /** Without asking a PodDisruptionBudget. */
  deletePod(pod: PodTarget, graceSeconds: number): Promise<void>;
  /** Creates the mirror of a claim, or brings its labels, annotations, finalizers and status up to date. */
  applyNodeClaim(nodeClaim: NodeClaim): Promise<void>;
  /** Asks the API server to delete the mirror; its finalizers decide when it goes. */
  deleteNodeClaim(name: string): Promise<void>;
  /** Takes our finalizer away and deletes the mirror. */
  removeNodeClaim(name: string): Promise<void>;
  patchNodePool(nodePool: NodePool, patch: ObjectPatch<NodePool['status']>): Promise<NodePool | undefined>;
  patchNodeClass(nodeClass: EC2NodeClass, patch: NodeClassPatch): Promise<EC2NodeClass | undefined>;
  /** Of a NodeClaim that has no record: others are mirrors. */
  patchNodeClaim(nodeClaim: NodeClaim, patch: ObjectPatch<NodeClaim['status']>): Promise<NodeClaim | undefined>;
  patchNodeOverlay(overlay: NodeOverlay, patch: ObjectPatch<NodeOverlay['status']>): Promise<NodeOverlay | undefined>;
  patchCapacityBuffer(
    buffer: CapacityBuffer,
    patch: ObjectPatch<CapacityBuffer['status']>,
  ): Promise<CapacityBuffer | undefined>;
  /** Said again within its quiet time, by whichever function, it is not told twice (F16). */
  publishEvent(event: ClusterEvent): Promise<void>;
}
