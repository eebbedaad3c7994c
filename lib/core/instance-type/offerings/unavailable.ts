import { MINUTE_MS } from '../../../apis/formats/time.ts';
import { ANY_OFFERING, type UnavailableOffering } from '../../model/decision.ts';
import type { OfferingKey } from './availability.ts';

/** C32, C81: how long an offering is excluded after its first failure for lack of capacity, or after an interruption. */
export const UNAVAILABLE_MS = 3 * MINUTE_MS;

type Unavailable = Pick<UnavailableOffering, 'instanceType' | 'zone' | 'capacityType' | 'subnetId' | 'reservationId'>;

/** The key of a mark. The key of a subnet does not include the instance type: a full subnet has no address for any type. */
export function unavailableKey({ instanceType, zone, capacityType, subnetId, reservationId }: Unavailable): string {
  if (subnetId !== undefined) return `subnet/${subnetId}`;
  return offeringKey(capacityType, instanceType, zone) + (reservationId === undefined ? '' : `/${reservationId}`);
}

function offeringKey(capacityType: string, instanceType: string, zone: string): string {
  return `${capacityType}/${instanceType}/${zone}`;
}

/**
 * Returns a predicate that is true if the offering, its zone or its whole capacity type is marked. Marked subnets are not
 * included: see `exhaustedSubnets`. *Cost:* O(1) for each offering.
 */
export function unavailability(offerings: readonly UnavailableOffering[]): (of: OfferingKey) => boolean {
  const known = new Set(offerings.map(unavailableKey));
  return ({ type, zone, capacityType, reservationId }) =>
    known.has(offeringKey(capacityType, type, zone)) ||
    (reservationId !== undefined &&
      known.has(unavailableKey({ instanceType: type, zone, capacityType, reservationId }))) ||
    known.has(offeringKey(capacityType, ANY_OFFERING, zone)) ||
    known.has(offeringKey(capacityType, ANY_OFFERING, ANY_OFFERING));
}

/** The ids of the subnets that recently had no free address. */
export function exhaustedSubnets(offerings: readonly UnavailableOffering[]): ReadonlySet<string> {
  return new Set(offerings.flatMap(({ subnetId }) => subnetId ?? []));
}

/** C32: the zones in which at least one subnet has free addresses. */
export function zonesWithAddresses(
  subnets: readonly { readonly id: string; readonly zone: string }[],
  offerings: readonly UnavailableOffering[],
): ReadonlySet<string> {
  const exhausted = exhaustedSubnets(offerings);
  return new Set(subnets.filter(({ id }) => !exhausted.has(id)).map(({ zone }) => zone));
}

/** C36: the reason of a mark on a zone that the cluster is shifted away from. */
export const ZONAL_SHIFT = 'ZonalShift';

/** Whether the cluster is shifted away from the zone. */
export function isShifted(zone: string, offerings: readonly UnavailableOffering[]): boolean {
  return offerings.some((one) => one.reason === ZONAL_SHIFT && one.zone === zone);
}
