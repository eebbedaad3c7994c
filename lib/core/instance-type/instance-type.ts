import type { Labels } from '../../apis/kubernetes.ts';
import type { CapacityType } from '../../apis/labels.ts';
import type { Requirements } from '../requirements/requirements.ts';
import type { Resources } from '../resources/resources.ts';

/** A capacity reservation, and how many instances of it are not in use yet (C31). */
export interface Reservation {
  readonly id: string;
  readonly instances: number;
  /** C22: a block ends on a date, and what is interruptible its owner may take back. @default default */
  readonly kind?: 'default' | 'capacity-block' | 'interruptible';
}

/** A type for sale in one zone under one capacity type, or out of one reservation (C25). */
export interface Offering {
  readonly zone: string;
  readonly zoneId?: string;
  readonly capacityType: CapacityType;
  readonly priceUsdPerHour: number;
  /** False where it is known to have no capacity just now (C32), no price or no subnet (C26). */
  readonly available: boolean;
  /** Of reserved capacity: the reservation that it comes out of. @default it is counted by nobody and never runs out */
  readonly reservation?: Reservation;
  /** B37: what its nodes have for pods, where that is not what the type's other offerings have. @default the type's */
  readonly allocatable?: Resources;
  /** A4.10: its price is a NodeOverlay's. */
  readonly priceOverlaid?: true;
}

/** What follows from the type and its NodeClass, and only a launch needs to know. */
export interface LaunchTraits {
  /** The labels by which an image is chosen for it (C65). @default its architecture alone */
  readonly imageLabels?: Labels;
  /** What its kubelet is told because it is worked out for this type (A3.17, prefix delegation). @default nothing */
  readonly kubelet?: TypeKubelet;
  /** How many EFA interfaces each network card takes, by the card's index. @default none */
  readonly efaInterfacesByCard?: readonly number[];
}

/** Amounts as the kubelet's configuration spells them. */
export interface TypeKubelet {
  readonly maxPods?: number;
  readonly kubeReserved?: Labels;
  readonly systemReserved?: Labels;
}

/** An instance type as one NodeClass makes it: the snapshot format's `instanceTypes` entry. */
export interface InstanceType {
  readonly name: string;
  readonly capacity: Resources;
  /** Capacity less kube-reserved, system-reserved and the eviction threshold (C13). */
  readonly allocatable: Resources;
  /** Labels that a node of the type may carry; an empty set means that the label is absent (C15–C24). */
  readonly requirements: Requirements;
  readonly offerings: readonly Offering[];
  /** A4.10: some of its capacity is a NodeOverlay's. */
  readonly capacityOverlaid?: true;
  /** @default a type that was read from a snapshot: nothing is known */
  readonly launch?: LaunchTraits;
}
