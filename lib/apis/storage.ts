import type {
  LabelSelectorRequirement,
  NodeSelectorTerm,
  ObjectMeta,
  ResourceList,
  VolumeClaimSpec,
  VolumeTraits,
} from './kubernetes.ts';

/** The storage objects that restrict where a pod may run, reduced to the fields that decisions and simulations read. */

export interface PersistentVolumeClaim {
  readonly metadata: ObjectMeta;
  readonly spec: VolumeClaimSpec;
  readonly status?: { readonly phase?: 'Pending' | 'Bound' | 'Lost' };
}

export interface PersistentVolume {
  readonly metadata: ObjectMeta;
  readonly spec: VolumeTraits & {
    readonly storageClassName?: string;
    readonly capacity?: ResourceList;
    /** The claim that the volume is bound to, or reserved for. */
    readonly claimRef?: { readonly namespace?: string; readonly name?: string; readonly uid?: string };
    readonly persistentVolumeReclaimPolicy?: ReclaimPolicy;
    readonly nodeAffinity?: { readonly required?: { readonly nodeSelectorTerms: readonly NodeSelectorTerm[] } };
    readonly csi?: { readonly driver: string; readonly volumeHandle?: string };
    readonly awsElasticBlockStore?: { readonly volumeID?: string };
    readonly local?: object;
    readonly hostPath?: object;
  };
}

export type ReclaimPolicy = 'Retain' | 'Delete' | 'Recycle';

export interface StorageClass {
  readonly metadata: ObjectMeta;
  readonly provisioner: string;
  readonly reclaimPolicy?: ReclaimPolicy;
  readonly volumeBindingMode?: 'Immediate' | 'WaitForFirstConsumer';
  readonly allowedTopologies?: readonly {
    readonly matchLabelExpressions?: readonly Pick<LabelSelectorRequirement, 'key' | 'values'>[];
  }[];
}

/** The number of volumes of each driver that a node can attach. */
export interface CsiNode {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly drivers: readonly { readonly name: string; readonly allocatable?: { readonly count?: number } }[];
  };
}

/** A volume that is attached to a node, or is being attached or detached. */
export interface VolumeAttachment {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly nodeName: string;
    /** Absent: an inline volume, as of some migrated plugins. */
    readonly source: { readonly persistentVolumeName?: string };
  };
}

/** The storage objects of a cluster. */
export interface Storage {
  readonly persistentVolumeClaims: readonly PersistentVolumeClaim[];
  readonly persistentVolumes: readonly PersistentVolume[];
  readonly storageClasses: readonly StorageClass[];
  readonly csiNodes: readonly CsiNode[];
  /** @default not read: the volumes of pods are those that are attached */
  readonly volumeAttachments?: readonly VolumeAttachment[];
}
