import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { DaemonSet, Namespace, Node, Pod, PodDisruptionBudget } from '../../apis/kubernetes.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import type { Storage } from '../../apis/storage.ts';
import type { Blocked, UnavailableOffering } from './decision.ts';
import type { PassMemory } from './disruption/pass-memory.ts';
import type { PastMove } from './disruption/past-move.ts';
import type { DisruptionCommand } from './disruption-command.ts';
import type { InstanceType } from './instance-type.ts';
import type { NodeClaimRecord } from './node-claim-record.ts';
import type { UnusedLaunches } from './provisioning/unused-launches.ts';
import type { Reason } from './reasons.ts';
import type { SchedulingOptions } from './scheduling-options.ts';
import type { WorkloadSelector } from './settings.ts';

/** A NodePool with the instance types that it can launch now. `unusable` is the reason why it cannot launch any. */
export interface NodePoolView {
  readonly nodePool: NodePool;
  readonly nodeClass?: EC2NodeClass;
  readonly instanceTypes: readonly InstanceType[];
  readonly unusable?: { readonly reason: Reason; readonly message: string };
}

/** A cluster at one time: all data that a cluster-wide decision reads, collected before the decision. */
export interface ClusterSnapshot {
  readonly cluster: string;
  /** The epoch of the store when reading began. A decision on this snapshot is recorded only if the epoch is unchanged. */
  readonly epoch: number;
  readonly nodePools: readonly NodePoolView[];
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  /** The capacity that CapacityBuffers reserve, as pods that do not exist in the cluster. @default none */
  readonly bufferPods?: readonly Pod[];
  readonly daemonSets: readonly DaemonSet[];
  readonly podDisruptionBudgets: readonly PodDisruptionBudget[];
  readonly nodeClaims: readonly NodeClaimRecord[];
  readonly commands: readonly DisruptionCommand[];
  /** What earlier passes of disruption keep. @default nothing */
  readonly passMemory?: PassMemory;
  /** What consolidation has moved. @default nothing, or no NodePool limits moves */
  readonly pastMoves?: readonly PastMove[];
  /** Of pending pods. @default none, or they cannot be read */
  readonly unusedLaunches?: readonly UnusedLaunches[];
  /** Offerings without capacity, with the end of their marks. `instanceTypes` already has them as unavailable. */
  readonly unavailable: readonly UnavailableOffering[];
  /** The names of nodes that are nominated for pods, in order. */
  readonly nominated: readonly string[];
  /** @default none: a pod with a PersistentVolumeClaim is refused */
  readonly storage?: Storage;
  /** Used for the namespaceSelector of affinity terms (B52). @default the namespaces of the pods, without labels */
  readonly namespaces?: readonly Namespace[];
  readonly options?: SchedulingOptions;
  /** Pods that neither launch the first node of an empty cluster nor keep its last node. @default none */
  readonly ignoreAtZero?: readonly WorkloadSelector[];
  /** NodeOverlays and CapacityBuffers that are ignored, with the reasons. @default none */
  readonly ignoredObjects?: readonly Blocked[];
}
