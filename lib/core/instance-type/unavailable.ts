import { MINUTE_MS } from '../../apis/time.ts';
import { ANY, type UnavailableOffering } from '../action.ts';
import type { OfferingKey } from './availability.ts';

/** C32, C81: how long an offering without capacity, or one that was just taken back, is left alone the first time. */
export const UNAVAILABLE_MS = 3 * MINUTE_MS;

type Unavailable = Pick<UnavailableOffering, 'instanceType' | 'zone' | 'capacityType' | 'subnetId' | 'reservationId'>;

/** What marks are told apart by: a subnet is full whatever was to start in it. */
export function unavailableKey({ instanceType, zone, capacityType, subnetId, reservationId }: Unavailable): string {
  if (subnetId !== undefined) return `subnet/${subnetId}`;
  return offeringKey(capacityType, instanceType, zone) + (reservationId === undefined ? '' : `/${reservationId}`);
}

function offeringKey(capacityType: string, instanceType: string, zone: string): string {
  return `${capacityType}/${instanceType}/${zone}`;
}

/**
 * A quick answer to "is this offering known to lack capacity": by itself, with its whole zone or with its whole capacity
 * type. Subnets are not asked: `exhaustedSubnets` names them. *Cost:* O(1) a question.
 */
export function unavailability(offerings: readonly UnavailableOffering[]): (of: OfferingKey) => boolean {
  const known = new Set(offerings.map(unavailableKey));
  return ({ type, zone, capacityType, reservationId }) =>
    known.has(offeringKey(capacityType, type, zone)) ||
    (reservationId !== undefined &&
      known.has(unavailableKey({ instanceType: type, zone, capacityType, reservationId }))) ||
    known.has(offeringKey(capacityType, ANY, zone)) ||
    known.has(offeringKey(capacityType, ANY, ANY));
}

/** The ids of the subnets that had no free address lately. */
export function exhaustedSubnets(offerings: readonly UnavailableOffering[]): ReadonlySet<string> {
  return new Set(offerings.flatMap(({ subnetId }) => subnetId ?? []));
}

/** C32: a zone is there as long as one of its subnets has free addresses. */
export function zonesWithAddresses(
  subnets: readonly { readonly id: string; readonly zone: string }[],
  offerings: readonly UnavailableOffering[],
): ReadonlySet<string> {
  const exhausted = exhaustedSubnets(offerings);
  return new Set(subnets.filter(({ id }) => !exhausted.has(id)).map(({ zone }) => zone));
}

/** C36: why a zone that the cluster is shifted away from is unavailable. */
export const ZONAL_SHIFT = 'ZonalShift';

/** Whether the cluster is shifted away from the zone, as its snapshot says. */
export function isShifted(zone: string, offerings: readonly UnavailableOffering[]): boolean {
  return offerings.some((one) => one.reason === ZONAL_SHIFT && one.zone === zone);
}
