import type { Offering } from '../../model/instance-type.ts';
import type { InstanceTypeFacts, RegionalOffering } from '../facts.ts';
import type { AvailabilityOptions, OfferingKey } from './availability.ts';
import { reservedOfferings } from './reserved-offerings.ts';

/**
 * The offerings of the type: one for each zone and capacity type with a price, and one for each reservation.
 * *Source:* C14, C25, C28 to C31. An offering without a subnet or capacity is listed as unavailable (C26), so that running
 * nodes there have a price.
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
