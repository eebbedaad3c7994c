import type { CapacityType } from '../../apis/labels.ts';
import type { ResolvedCapacityReservation } from '../node-class/resolved-node-class.ts';
import type { InstanceTypeFacts, RegionalOffering } from './facts.ts';
import type { Offering } from './instance-type.ts';
import { reservedOfferings } from './reserved-offerings.ts';

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

/**
 * The type's offerings: one a zone and capacity type that it is sold under and that has a price, and one a reservation.
 * *Source:* C14, C25, C28 to C31. Without a subnet or capacity one stays listed, unavailable (C26), so that nodes that run
 * there have a price.
 */
export function offeringsOf(
  facts: InstanceTypeFacts,
  regional: readonly RegionalOffering[],
  options: AvailabilityOptions,
): readonly Offering[] {
  return regional.flatMap((one) => [...soldOfferings(facts, one, options), ...reservedOfferings(one, options)]);
}

function soldOfferings(
  facts: InstanceTypeFacts,
  { zone, zoneId, onDemandUsdPerHour, spotUsdPerHour }: RegionalOffering,
  options: AvailabilityOptions,
): readonly Offering[] {
  const prices = { 'on-demand': onDemandUsdPerHour, spot: spotUsdPerHour };
  return facts.usageClasses.flatMap((capacityType) => {
    const priceUsdPerHour = prices[capacityType];
    if (priceUsdPerHour === undefined) return [];
    const available = isAvailable({ type: facts.name, zone, capacityType }, options);
    return [{ zone, zoneId, capacityType, priceUsdPerHour, available }];
  });
}

function isAvailable(offering: OfferingKey, { zones, isUnavailable }: AvailabilityOptions): boolean {
  return (zones?.has(offering.zone) ?? true) && isUnavailable?.(offering) !== true;
}
