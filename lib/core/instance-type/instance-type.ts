import type { CapacityType } from '../../apis/labels.ts';
import type { Requirements } from '../requirements/requirements.ts';
import type { Resources } from '../resources/resources.ts';

/** A capacity reservation, and how many instances of it are not in use yet (C31). */
export interface Reservation {
  readonly id: string;
  readonly instances: number;
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
}
