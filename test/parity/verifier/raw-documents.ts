/**
 * Snapshots and plans as they are in JSON, with the fields that the verifier reads. They are declared here and not imported:
 * if the product's types lacked a field by mistake, the verifier would lack it too.
 */

export type RawResources = Readonly<Record<string, string | number>>;
export type RawLabels = Readonly<Record<string, string>>;

export interface RawMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly labels?: RawLabels;
  readonly annotations?: RawLabels;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly ownerReferences?: readonly { readonly kind: string; readonly name: string; readonly uid?: string }[];
}

export interface RawExpression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface RawSelector {
  readonly matchLabels?: RawLabels;
  readonly matchExpressions?: readonly RawExpression[];
}

export interface RawNodeSelectorTerm {
  readonly matchExpressions?: readonly RawExpression[];
  readonly matchFields?: readonly RawExpression[];
}

export interface RawAffinityTerm {
  readonly topologyKey: string;
  readonly labelSelector?: RawSelector;
  readonly namespaces?: readonly string[];
  readonly namespaceSelector?: RawSelector;
}

export interface RawPodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly RawAffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
    readonly weight: number;
    readonly podAffinityTerm: RawAffinityTerm;
  }[];
}

export interface RawSpread {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly whenUnsatisfiable?: string;
  readonly labelSelector?: RawSelector;
  readonly matchLabelKeys?: readonly string[];
  readonly minDomains?: number;
  readonly nodeAffinityPolicy?: string;
  readonly nodeTaintsPolicy?: string;
}

export interface RawTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

export interface RawToleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

export interface RawContainer {
  readonly name: string;
  readonly restartPolicy?: string;
  readonly resources?: { readonly requests?: RawResources; readonly limits?: RawResources };
  readonly ports?: readonly {
    readonly hostPort?: number;
    readonly containerPort?: number;
    readonly hostIP?: string;
    readonly protocol?: string;
  }[];
}

export interface RawVolume {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName: string };
  readonly ephemeral?: { readonly volumeClaimTemplate: { readonly spec: RawClaimSpec } };
}

export interface RawPodSpec {
  readonly nodeName?: string;
  readonly nodeSelector?: RawLabels;
  readonly affinity?: {
    readonly nodeAffinity?: {
      readonly requiredDuringSchedulingIgnoredDuringExecution?: {
        readonly nodeSelectorTerms: readonly RawNodeSelectorTerm[];
      };
      readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
        readonly weight: number;
        readonly preference: RawNodeSelectorTerm;
      }[];
    };
    readonly podAffinity?: RawPodAffinity;
    readonly podAntiAffinity?: RawPodAffinity;
  };
  readonly topologySpreadConstraints?: readonly RawSpread[];
  readonly tolerations?: readonly RawToleration[];
  readonly containers?: readonly RawContainer[];
  readonly initContainers?: readonly RawContainer[];
  readonly overhead?: RawResources;
  readonly resources?: { readonly requests?: RawResources; readonly limits?: RawResources };
  readonly volumes?: readonly RawVolume[];
  readonly hostNetwork?: boolean;
  readonly schedulingGates?: readonly { readonly name: string }[];
  readonly resourceClaims?: readonly { readonly name: string }[];
}

export interface RawContainerStatus {
  readonly name: string;
  readonly allocatedResources?: RawResources;
  readonly resources?: { readonly requests?: RawResources };
}

export interface RawPod {
  readonly metadata: RawMeta;
  readonly spec: RawPodSpec;
  readonly status?: {
    readonly phase?: string;
    readonly nominatedNodeName?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
    readonly containerStatuses?: readonly RawContainerStatus[];
    readonly initContainerStatuses?: readonly RawContainerStatus[];
  };
}

export interface RawNode {
  readonly metadata: RawMeta;
  readonly spec?: {
    readonly providerID?: string;
    readonly taints?: readonly RawTaint[];
    readonly unschedulable?: boolean;
  };
  readonly status?: { readonly capacity?: RawResources; readonly allocatable?: RawResources };
}

export interface RawNodeClaim {
  readonly metadata: RawMeta;
  readonly spec?: {
    readonly taints?: readonly RawTaint[];
    readonly startupTaints?: readonly RawTaint[];
    readonly requirements?: readonly RawExpression[];
  };
  readonly status?: {
    readonly providerID?: string;
    readonly nodeName?: string;
    readonly capacity?: RawResources;
    readonly allocatable?: RawResources;
  };
}

export interface RawPoolRequirement extends RawExpression {
  readonly minValues?: number;
}

export interface RawNodePool {
  readonly metadata: RawMeta;
  readonly spec: {
    readonly weight?: number;
    readonly replicas?: number;
    readonly limits?: RawResources;
    readonly template: {
      readonly metadata?: { readonly labels?: RawLabels };
      readonly spec: {
        readonly requirements?: readonly RawPoolRequirement[];
        readonly taints?: readonly RawTaint[];
        readonly startupTaints?: readonly RawTaint[];
        readonly nodeClassRef?: { readonly group?: string; readonly kind?: string; readonly name?: string };
      };
    };
  };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

export interface RawOffering {
  readonly capacityType: string;
  readonly zone: string;
  readonly zoneId?: string;
  readonly price: number;
  readonly available?: boolean;
  readonly reservationId?: string;
  readonly reservationCapacity?: number;
}

export interface RawInstanceType {
  readonly name: string;
  readonly capacity: RawResources;
  readonly overhead?: Readonly<Record<string, RawResources | string | number>>;
  readonly requirements?: Readonly<Record<string, readonly string[]>>;
  readonly offerings: readonly RawOffering[];
}

export interface RawClaimSpec {
  readonly volumeName?: string;
  readonly storageClassName?: string;
  readonly accessModes?: readonly string[];
}

export interface RawVolumeClaim {
  readonly metadata: RawMeta;
  readonly spec: RawClaimSpec;
  readonly status?: { readonly phase?: string };
}

export interface RawPersistentVolume {
  readonly metadata: RawMeta;
  readonly spec: {
    readonly csi?: { readonly driver: string; readonly volumeHandle?: string };
    readonly awsElasticBlockStore?: { readonly volumeID?: string };
    readonly local?: object;
    readonly hostPath?: object;
    readonly nodeAffinity?: { readonly required?: { readonly nodeSelectorTerms: readonly RawNodeSelectorTerm[] } };
  };
}

export interface RawStorageClass {
  readonly metadata: RawMeta;
  readonly provisioner?: string;
  readonly volumeBindingMode?: string;
  readonly allowedTopologies?: readonly {
    readonly matchLabelExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[];
  }[];
}

export interface RawDaemonSet {
  readonly metadata: RawMeta;
  readonly spec: { readonly template: { readonly metadata?: Partial<RawMeta>; readonly spec: RawPodSpec } };
}

export interface RawCsiNode {
  readonly metadata: RawMeta;
  readonly spec: {
    readonly drivers?: readonly { readonly name: string; readonly allocatable?: { readonly count?: number } }[];
  };
}

export interface RawSnapshot {
  readonly name?: string;
  readonly nodePools?: readonly RawNodePool[];
  readonly nodeClaims?: readonly RawNodeClaim[];
  readonly nodes?: readonly RawNode[];
  readonly pods?: readonly RawPod[];
  readonly daemonSets?: readonly RawDaemonSet[];
  readonly namespaces?: readonly { readonly metadata: RawMeta }[];
  readonly instanceTypes?: readonly RawInstanceType[];
  readonly instanceTypesFile?: string;
  readonly instanceTypeNames?: readonly string[];
  readonly nodePoolInstanceTypes?: Readonly<Record<string, readonly string[]>>;
  readonly nodeOverlays?: readonly object[];
  readonly pvcs?: readonly RawVolumeClaim[];
  readonly pvs?: readonly RawPersistentVolume[];
  readonly storageClasses?: readonly RawStorageClass[];
  readonly csiNodes?: readonly RawCsiNode[];
  readonly options?: { readonly minValuesPolicy?: string; readonly reservedCapacity?: boolean };
}

export interface RawPlannedClaim {
  readonly nodePool: string;
  readonly pods: readonly string[];
  readonly requirements: Readonly<
    Record<string, readonly { readonly operator: string; readonly values?: readonly string[] }[]>
  >;
  readonly instanceTypes: readonly string[];
  /** The full length of the list; present only if the list is shortened. */
  readonly instanceTypesCount?: number;
  readonly cheapestOffering?: {
    readonly type: string;
    readonly zone: string;
    readonly capacityType: string;
    readonly price: number;
  };
}

export interface RawPlan {
  readonly newNodeClaims: readonly RawPlannedClaim[];
  readonly existing?: readonly { readonly node: string; readonly pods: readonly string[] }[];
  readonly podErrors?: Readonly<Record<string, unknown>>;
  readonly totalHourlyPrice?: number;
  readonly lowerBoundHourlyPrice?: number;
}
