import { CAPACITY_TYPE, RESERVATION_ID, ZONE, ZONE_ID } from '../../apis/labels.ts';
import { admits, allowsAbsence } from '../requirements/requirement.ts';
import type { Requirements } from '../requirements/requirements.ts';
import type { InstanceType, Offering } from './instance-type.ts';

/** The offerings that are to be had and meet the requirements on zone, capacity type and reservation (B26). */
export function compatibleOfferings(type: InstanceType, requirements: Requirements): readonly Offering[] {
  const meets = placeFilter(requirements);
  return type.offerings.filter((offering) => offering.available && meets(offering));
}

/** What says where something is for sale, and how. */
export type Place = Pick<Offering, 'zone' | 'zoneId' | 'capacityType' | 'reservation'>;

/** Whether a place meets the requirements. C22: capacity that is not reserved lacks the label of the reservation. */
export function placeFilter(requirements: Requirements): (place: Place) => boolean {
  const zone = requirements.get(ZONE);
  const zoneId = requirements.get(ZONE_ID);
  const capacityType = requirements.get(CAPACITY_TYPE);
  const reservation = requirements.get(RESERVATION_ID);
  return (place) =>
    (zone === undefined || admits(zone, place.zone)) &&
    (zoneId === undefined || place.zoneId === undefined || admits(zoneId, place.zoneId)) &&
    (capacityType === undefined || admits(capacityType, place.capacityType)) &&
    (reservation === undefined ||
      (place.reservation === undefined ? allowsAbsence(reservation) : admits(reservation, place.reservation.id)));
}
