import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { DaemonSet, Namespace, Node, Pod, PodDisruptionBudget } from '../../apis/kubernetes.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import type { Storage } from '../../apis/storage.ts';
import type { Blocked, UnavailableOffering } from '../action.ts';
import type { DisruptionCommand } from '../disruption/command.ts';
import type { InstanceType } from '../instance-type/instance-type.ts';
import type { Reason } from '../model/reasons.ts';
import type { NodeClaimRecord } from '../node-claim/record.ts';
import type { SchedulingOptions } from '../scheduling/options.ts';
import type { WorkloadSelector } from './settings.ts';

/** A NodePool with what it can launch just now; `unusable` says why it can launch nothing. */
export interface NodePoolView {
  readonly nodePool: NodePool;
  readonly nodeClass?: EC2NodeClass;
  readonly instanceTypes: readonly InstanceType[];
  readonly unusable?: { readonly reason: Reason; readonly message: string };
}

/** A cluster at one moment: all that a cluster-wide decision reads, complete before deciding. */
export interface ClusterSnapshot {
  readonly cluster: string;
  /** The store's epoch when the reading began: a decision made from this snapshot stands only if it has not moved. */
  readonly epoch: number;
  readonly nodePools: readonly NodePoolView[];
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  /** The room that CapacityBuffers keep free, as pods that are not in the cluster. @default none */
  readonly bufferPods?: readonly Pod[];
  readonly daemonSets: readonly DaemonSet[];
  readonly podDisruptionBudgets: readonly PodDisruptionBudget[];
  readonly nodeClaims: readonly NodeClaimRecord[];
  readonly commands: readonly DisruptionCommand[];
  /** Offerings without capacity, as `instanceTypes` already shows them: here for the time when they may be back. */
  readonly unavailable: readonly UnavailableOffering[];
  /** Names of nodes that are promised to pods, in order. */
  readonly nominated: readonly string[];
  /** @default none: a pod that asks for a volume is refused */
  readonly storage?: Storage;
  /** For the namespaceSelector of affinity terms (B52). @default the namespaces in use, without labels */
  readonly namespaces?: readonly Namespace[];
  readonly options?: SchedulingOptions;
  /** Pods that neither wake an empty cluster nor hold its last node. @default none */
  readonly ignoreAtZero?: readonly WorkloadSelector[];
  /** NodeOverlays and CapacityBuffers that decisions cannot go by, with the reasons. @default none */
  readonly unheeded?: readonly Blocked[];
}
