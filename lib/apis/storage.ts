import type { LabelSelectorRequirement, NodeSelectorTerm, ObjectMeta } from './kubernetes.ts';

/** The storage objects that decide where a pod may run, cut to the fields that a decision reads. */

export interface PersistentVolumeClaim {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly storageClassName?: string;
    /** Set once a volume is bound, or is to be. */
    readonly volumeName?: string;
  };
  readonly status?: { readonly phase?: 'Pending' | 'Bound' | 'Lost' };
}

export interface PersistentVolume {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly nodeAffinity?: { readonly required?: { readonly nodeSelectorTerms: readonly NodeSelectorTerm[] } };
    readonly csi?: { readonly driver: string; readonly volumeHandle?: string };
    readonly awsElasticBlockStore?: { readonly volumeID?: string };
    readonly local?: object;
    readonly hostPath?: object;
  };
}

export interface StorageClass {
  readonly metadata: ObjectMeta;
  readonly provisioner: string;
  readonly volumeBindingMode?: 'Immediate' | 'WaitForFirstConsumer';
  readonly allowedTopologies?: readonly {
    readonly matchLabelExpressions?: readonly Pick<LabelSelectorRequirement, 'key' | 'values'>[];
  }[];
}

/** How many volumes of each driver a node can attach. */
export interface CsiNode {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly drivers: readonly { readonly name: string; readonly allocatable?: { readonly count?: number } }[];
  };
}

/** All that is known of a cluster's storage. */
export interface Storage {
  readonly persistentVolumeClaims: readonly PersistentVolumeClaim[];
  readonly persistentVolumes: readonly PersistentVolume[];
  readonly storageClasses: readonly StorageClass[];
  readonly csiNodes: readonly CsiNode[];
}
