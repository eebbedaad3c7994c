import type { CapacityBuffer } from './capacity-buffer.ts';
import type { EC2NodeClass } from './ec2-node-class.ts';
import type {
  DaemonSet,
  Deployment,
  LimitRange,
  NamedPodTemplate,
  Namespace,
  Pod,
  PodDisruptionBudget,
  PriorityClass,
  RuntimeClass,
} from './kubernetes.ts';
import type { NodeOverlay } from './node-overlay.ts';
import type { NodePool } from './node-pool.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from './storage.ts';
import type { CronJob, HorizontalPodAutoscaler, Job, ReplicaSet, StatefulSet } from './workloads.ts';

/** The objects of a cluster as manifests declare them: a simulation starts from them. */
export interface ClusterManifests {
  readonly nodePools: readonly NodePool[];
  readonly nodeClasses: readonly EC2NodeClass[];
  readonly deployments: readonly Deployment[];
  readonly replicaSets: readonly ReplicaSet[];
  readonly statefulSets: readonly StatefulSet[];
  readonly jobs: readonly Job[];
  readonly horizontalPodAutoscalers: readonly HorizontalPodAutoscaler[];
  readonly cronJobs: readonly CronJob[];
  readonly daemonSets: readonly DaemonSet[];
  readonly pods: readonly Pod[];
  readonly podDisruptionBudgets: readonly PodDisruptionBudget[];
  readonly nodeOverlays: readonly NodeOverlay[];
  readonly capacityBuffers: readonly CapacityBuffer[];
  readonly podTemplates: readonly NamedPodTemplate[];
  readonly priorityClasses: readonly PriorityClass[];
  readonly runtimeClasses: readonly RuntimeClass[];
  readonly namespaces: readonly Namespace[];
  readonly limitRanges: readonly LimitRange[];
  readonly persistentVolumes: readonly PersistentVolume[];
  readonly persistentVolumeClaims: readonly PersistentVolumeClaim[];
  readonly storageClasses: readonly StorageClass[];
}
