import { CAPACITY_TYPE, ZONE, ZONE_ID } from '../../apis/labels.ts';
import { admits, allowsAbsence, intersect, overlaps, type Requirement } from '../requirements/requirement.ts';
import type { Requirements } from '../requirements/requirements.ts';
import type { InstanceType, Offering } from './instance-type.ts';

/**
 * The offerings of a type that an overlay means, those without capacity among them; none where it does not mean the type.
 * *Source:* A4.6: the pool's labels and the type's meet what is asked, and no label that neither has is let pass.
 */
export function overlaidOfferings(type: InstanceType, pool: Requirements, asked: Requirements): readonly Offering[] {
  for (const [key, want] of asked) {
    if (!meets(whatIsSaid(pool.get(key), type.requirements.get(key)), want)) return [];
  }
  const zone = asked.get(ZONE);
  const zoneId = asked.get(ZONE_ID);
  const capacityType = asked.get(CAPACITY_TYPE);
  return type.offerings.filter(
    (offering) =>
      allows(zone, offering.zone) && allows(zoneId, offering.zoneId) && allows(capacityType, offering.capacityType),
  );
}

function whatIsSaid(ofPool: Requirement | undefined, ofType: Requirement | undefined): Requirement | undefined {
  return ofPool === undefined || ofType === undefined ? (ofPool ?? ofType) : intersect(ofPool, ofType);
}

function meets(have: Requirement | undefined, want: Requirement): boolean {
  if (have === undefined) return allowsAbsence(want);
  return overlaps(have, want) || (allowsAbsence(have) && allowsAbsence(want));
}

function allows(want: Requirement | undefined, value: string | undefined): boolean {
  return want === undefined || value === undefined || admits(want, value);
}
