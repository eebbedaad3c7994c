import { optional } from '../../../apis/optional.ts';
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
    const shortage = shortageOf(facts, { type: facts.name, zone, capacityType }, options);
    const available = (options.zones?.has(zone) ?? true) && shortage !== 'missing';
    return [{ zone, ...optional({ zoneId }), capacityType, priceUsdPerHour, available, ...optional({ shortage }) }];
  });
}

function shortageOf(
  { vcpus, gpus, neuron, accelerators }: InstanceTypeFacts,
  offering: OfferingKey,
  { zones, isUnavailable, isDoubted }: AvailabilityOptions,
): Offering['shortage'] {
  if (zones?.has(offering.zone) === false) return undefined;
  if (isUnavailable?.(offering) === true) return 'missing';
  // Types with accelerators are refused, or not, for reasons of their own.
  const isAccelerated = gpus.length + neuron.length + accelerators.length > 0;
  return !isAccelerated && isDoubted?.(offering, vcpus) === true ? 'doubted' : undefined;
}
