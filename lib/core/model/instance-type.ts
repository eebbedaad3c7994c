import type { Labels } from '../../apis/kubernetes.ts';
import type { CapacityType } from '../../apis/labels.ts';
import type { Resources } from '../resources/resources.ts';

/** A capacity reservation and its number of free instances (C31). */
export interface Reservation {
  readonly id: string;
  readonly instances: number;
  /** C22: a capacity block ends on a date; the owner can reclaim an interruptible reservation. @default default */
  readonly kind?: 'default' | 'capacity-block' | 'interruptible';
}

/** An instance type in one zone with one capacity type, or from one reservation (C25). */
export interface Offering {
  readonly zone: string;
  readonly zoneId?: string;
  readonly capacityType: CapacityType;
  readonly priceUsdPerHour: number;
  /** False if the offering recently had no capacity (C32), or has no price or no subnet (C26). */
  readonly available: boolean;
  /**
   * `missing`: it would be available if EC2 had not refused it recently. `doubted`: it is available, but EC2 refused its zone and
   * capacity type for several families, so it is used only if the type has no other. @default neither
   */
  readonly shortage?: 'missing' | 'doubted';
  /** The reservation of reserved capacity. @default none: the number of instances is not limited */
  readonly reservation?: Reservation;
  /** B37: the allocatable resources of its nodes, if they differ from the type's. @default the type's */
  readonly allocatable?: Resources;
  /** A4.10: a NodeOverlay sets or changes its price. */
  readonly priceOverlaid?: true;
}

/** Properties of a type with its NodeClass that only a launch uses. */
export interface LaunchTraits {
  /** The labels that select its image (C65). @default its architecture */
  readonly imageLabels?: Labels;
  /** Kubelet settings computed for this type (A3.17, prefix delegation). @default none */
  readonly kubelet?: TypeKubelet;
  /** The number of EFA interfaces of each network card, by its index. @default none */
  readonly efaInterfacesByCard?: readonly number[];
}

/** Kubelet settings of one type, in the format of the kubelet configuration. */
export interface TypeKubelet {
  readonly maxPods?: number;
  readonly kubeReserved?: Labels;
  readonly systemReserved?: Labels;
}

/** Values by label; an empty list means that the label is absent. */
export type LabelValues = Readonly<Record<string, readonly string[]>>;

/** An instance type with the settings of one NodeClass: an entry of `instanceTypes` in the snapshot format. */
export interface InstanceType {
  readonly name: string;
  readonly capacity: Resources;
  /** Capacity less kube-reserved, system-reserved and the eviction threshold (C13). */
  readonly allocatable: Resources;
  /** Labels that a node of the type can have; an empty list means that the label is absent (C15–C24). */
  readonly requirements: LabelValues;
  readonly offerings: readonly Offering[];
  /** The most EBS volumes that pods can attach to a node: what EC2 gives, less the volumes of the node. @default not known */
  readonly ebsVolumes?: number;
  /** A4.10: a NodeOverlay sets some of its capacity. */
  readonly capacityOverlaid?: true;
  /** @default unknown, as for a type that was read from a snapshot */
  readonly launch?: LaunchTraits;
}
