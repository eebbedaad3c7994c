import { CAPACITY_TYPE, ZONE, ZONE_ID } from '../../apis/labels.ts';
import { admits } from '../requirements/requirement.ts';
import type { Requirements } from '../requirements/requirements.ts';
import type { InstanceType, Offering } from './instance-type.ts';

/** The offerings that are to be had and meet the requirements on zone and capacity type (B26). */
export function compatibleOfferings(type: InstanceType, requirements: Requirements): readonly Offering[] {
  const zone = requirements.get(ZONE);
  const zoneId = requirements.get(ZONE_ID);
  const capacityType = requirements.get(CAPACITY_TYPE);
  return type.offerings.filter(
    (offering) =>
      offering.available &&
      (zone === undefined || admits(zone, offering.zone)) &&
      (zoneId === undefined || offering.zoneId === undefined || admits(zoneId, offering.zoneId)) &&
      (capacityType === undefined || admits(capacityType, offering.capacityType)),
  );
}

export function cheapestPrice(offerings: readonly Offering[]): number {
  return offerings.reduce((least, offering) => Math.min(least, offering.priceUsdPerHour), Number.POSITIVE_INFINITY);
}
