import { CAPACITY_TYPE, RESERVATION_LABELS, ZONE, ZONE_ID } from '../../../apis/labels.ts';
import { onceFor } from '../../kept-answers.ts';
import type { InstanceType, Offering } from '../../model/instance-type.ts';
import { admits, inRequirement, type Requirement } from '../../requirements/requirement.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import { reservationLabels } from './reservation-labels.ts';

/** The available offerings that meet the requirements on zone, capacity type and reservation (B26). */
export function compatibleOfferings(type: InstanceType, requirements: Requirements): readonly Offering[] {
  const meets = placeFilter(requirements);
  return withoutDoubted(type.offerings.filter((offering) => offering.available && meets(offering)));
}

/** C35: the offerings of one type without doubted ones, or all of them if all are doubted. */
function withoutDoubted<One extends Pick<Offering, 'shortage'>>(offerings: readonly One[]): readonly One[] {
  const certain = offerings.filter(({ shortage }) => shortage !== 'doubted');
  return certain.length === 0 || certain.length === offerings.length ? offerings : certain;
}

/**
 * C35: where offerings of these types are doubted, as requirements: one for each capacity type, with its zones. A claim with such
 * requirements uses doubted offerings, also of types that have others elsewhere. *Cost:* O(offerings), once for the same types.
 */
export const doubtedPlaces = onceFor((types: readonly InstanceType[]): readonly Requirements[] => {
  const doubted = types.flatMap(({ offerings }) => offerings.filter(({ shortage }) => shortage === 'doubted'));
  const byCapacityType = Map.groupBy(doubted, ({ capacityType }) => capacityType);
  return [...byCapacityType].map(([capacityType, offerings]) => {
    const zones = [...new Set(offerings.map(({ zone }) => zone))].toSorted();
    return new Map([
      [CAPACITY_TYPE, inRequirement(CAPACITY_TYPE, [capacityType])],
      [ZONE, inRequirement(ZONE, zones)],
    ]);
  });
});

/** The zone, capacity type and reservation of an offering. */
export type OfferingPlace = Pick<Offering, 'zone' | 'zoneId' | 'capacityType' | 'reservation'>;

/**
 * A predicate for the requirements on zone, capacity type and reservation. C22: an unreserved offering has no reservation labels.
 * *Cost:* once for the same requirements, which are asked about many types.
 */
export const placeFilter = onceFor((requirements: Requirements): ((place: OfferingPlace) => boolean) => {
  const zone = requirements.get(ZONE);
  const zoneId = requirements.get(ZONE_ID);
  const capacityType = requirements.get(CAPACITY_TYPE);
  const ofReservation = [...requirements].filter(([key]) => RESERVATION_LABELS.has(key));
  return (place) =>
    (zone === undefined || admits(zone, place.zone)) &&
    (zoneId === undefined || place.zoneId === undefined || admits(zoneId, place.zoneId)) &&
    (capacityType === undefined || admits(capacityType, place.capacityType)) &&
    (ofReservation.length === 0 || admitsReservation(ofReservation, place));
});

function admitsReservation(
  required: readonly (readonly [string, Requirement])[],
  { reservation }: OfferingPlace,
): boolean {
  const labels = reservation === undefined ? {} : reservationLabels(reservation);
  return required.every(([key, one]) => admits(one, labels[key]));
}
