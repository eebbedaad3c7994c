import type { CapacityType } from '../../apis/labels.ts';
import type { InstanceTypeFacts, RegionalOffering } from './facts.ts';
import type { Offering } from './instance-type.ts';

/** What identifies an offering among all types. */
export interface OfferingKey {
  readonly type: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
}

export interface AvailabilityOptions {
  /** The zones that the NodeClass's subnets cover. @default every zone */
  readonly zones?: ReadonlySet<string>;
  /** True where EC2 had no capacity lately (C32). @default none */
  readonly isUnavailable?: (offering: OfferingKey) => boolean;
}

/**
 * The type's offerings: one a zone and capacity type that it is sold under and that has a price.
 * *Source:* C14, C25, C28, C29. Without a subnet or capacity one stays listed, unavailable (C26), so that nodes that run
 * there have a price.
 */
export function offeringsOf(
  facts: InstanceTypeFacts,
  regional: readonly RegionalOffering[],
  options: AvailabilityOptions,
): readonly Offering[] {
  return regional.flatMap(({ zone, zoneId, onDemandUsdPerHour, spotUsdPerHour }) => {
    const prices = { 'on-demand': onDemandUsdPerHour, spot: spotUsdPerHour };
    return facts.usageClasses.flatMap((capacityType) => {
      const priceUsdPerHour = prices[capacityType];
      if (priceUsdPerHour === undefined) return [];
      const available = isAvailable({ type: facts.name, zone, capacityType }, options);
      return [{ zone, zoneId, capacityType, priceUsdPerHour, available }];
    });
  });
}

function isAvailable(offering: OfferingKey, { zones, isUnavailable }: AvailabilityOptions): boolean {
  return (zones?.has(offering.zone) ?? true) && isUnavailable?.(offering) !== true;
}
