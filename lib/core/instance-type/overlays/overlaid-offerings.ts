import { CAPACITY_TYPE, ZONE, ZONE_ID } from '../../../apis/labels.ts';
import type { InstanceType, Offering } from '../../model/instance-type.ts';
import { admits, allowsAbsence, intersect, overlaps, type Requirement } from '../../requirements/requirement.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import { typeRequirements } from '../type-requirements.ts';

/**
 * The offerings of a type that an overlay selects, unavailable ones included; none if the overlay does not select the type.
 * *Source:* A4.6: the labels of the pool and the type must meet the requirements. A required label that neither has does not match.
 */
export function overlaidOfferings(type: InstanceType, pool: Requirements, required: Requirements): readonly Offering[] {
  for (const [key, want] of required) {
    if (!meets(combined(pool.get(key), typeRequirements(type).get(key)), want)) return [];
  }
  const zone = required.get(ZONE);
  const zoneId = required.get(ZONE_ID);
  const capacityType = required.get(CAPACITY_TYPE);
  return type.offerings.filter(
    (offering) =>
      allows(zone, offering.zone) && allows(zoneId, offering.zoneId) && allows(capacityType, offering.capacityType),
  );
}

function combined(ofPool: Requirement | undefined, ofType: Requirement | undefined): Requirement | undefined {
  return ofPool === undefined || ofType === undefined ? (ofPool ?? ofType) : intersect(ofPool, ofType);
}

function meets(have: Requirement | undefined, want: Requirement): boolean {
  if (have === undefined) return allowsAbsence(want);
  return overlaps(have, want) || (allowsAbsence(have) && allowsAbsence(want));
}

function allows(want: Requirement | undefined, value: string | undefined): boolean {
  return want === undefined || value === undefined || admits(want, value);
}
