import type { CapacityType } from '../../apis/labels.ts';
import type { ResolvedCapacityReservation } from '../node-class/resolved-node-class.ts';

/** What identifies an offering among all types. */
export interface OfferingKey {
  readonly type: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
  /** @default of no reservation */
  readonly reservationId?: string | undefined;
}

export interface AvailabilityOptions {
  /** The zones that the NodeClass's subnets cover. @default every zone */
  readonly zones?: ReadonlySet<string>;
  /** True where EC2 had no capacity lately (C32). @default none */
  readonly isUnavailable?: (offering: OfferingKey) => boolean;
  /** Those that the NodeClass selects. @default none */
  readonly reservations?: readonly ResolvedCapacityReservation[];
}
