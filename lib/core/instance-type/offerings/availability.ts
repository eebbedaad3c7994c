import type { CapacityType } from '../../../apis/labels.ts';
import type { ResolvedCapacityReservation } from '../../model/resolved-node-class.ts';

/** Identifies an offering. */
export interface OfferingKey {
  readonly type: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
  /** @default an offering without a reservation */
  readonly reservationId?: string | undefined;
}

export interface AvailabilityOptions {
  /** The zones of the NodeClass's subnets. @default every zone */
  readonly zones?: ReadonlySet<string>;
  /** True if EC2 recently had no capacity (C32). @default false for every offering */
  readonly isUnavailable?: (offering: OfferingKey) => boolean;
  /** True if the whole zone and capacity type was refused recently, for types with as many vCPUs. @default false for every offering */
  readonly isDoubted?: (offering: OfferingKey, vcpus: number) => boolean;
  /** The reservations that the NodeClass selects. @default none */
  readonly reservations?: readonly ResolvedCapacityReservation[];
}
