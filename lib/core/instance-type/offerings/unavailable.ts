import { MINUTE_MS } from '../../../apis/formats/time.ts';
import { optional } from '../../../apis/optional.ts';
import { ANY_OFFERING, type UnavailableOffering } from '../../model/decision.ts';
import type { LaunchTemplateSpec } from '../../model/node-claim-record.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import { isDedicated } from '../tenancy.ts';
import type { OfferingKey } from './availability.ts';

/** C32, C81: how long an offering is excluded after its first failure for lack of capacity, or after an interruption. */
export const UNAVAILABLE_MS = 3 * MINUTE_MS;

/** The reason of a mark on a whole zone and capacity type: EC2 refused it for several families of instance types. */
export const REFUSED_ACROSS_FAMILIES = 'RefusedAcrossFamilies';
/** The reason of a mark on an offering whose whole zone and capacity type was refused at the same time. */
export const REFUSED_WITH_ZONE = 'RefusedWithZone';

type Unavailable = Omit<UnavailableOffering, 'untilMs' | 'markedAtMs' | 'reason'>;

/** Where and with which configuration instances are launched, beside their offering. */
export type Placement = Pick<UnavailableOffering, 'placementGroupId' | 'tenancy' | 'nodeClass'>;

/** The key of a mark. The key of a subnet does not include the instance type: a full subnet has no address for any type. */
export function unavailableKey(mark: Unavailable): string {
  const { subnetId, placementGroupId, tenancy, minVcpus, nodeClass } = mark;
  if (subnetId !== undefined) return `subnet/${subnetId}`;
  const ofClass = nodeClass && `class/${nodeClass}`;
  const where = [placementGroupId, tenancy, minVcpus, ofClass].filter((one) => one !== undefined);
  return [capacityKey(mark), ...where].join('/');
}

function capacityKey({ instanceType, zone, capacityType, reservationId }: Unavailable): string {
  return offeringKey(capacityType, instanceType, zone) + (reservationId === undefined ? '' : `/${reservationId}`);
}

function offeringKey(capacityType: string, instanceType: string, zone: string): string {
  return `${capacityType}/${instanceType}/${zone}`;
}

/**
 * Returns a predicate that is true if the offering, its zone or its whole capacity type is marked. Marked subnets are not
 * included (see `exhaustedSubnets`), nor zones that refused across families (see `doubt`). A mark of another placement or NodeClass does not count: a full placement group says nothing about
 * launches outside it. *Cost:* O(1) for each offering.
 */
export function unavailability(
  offerings: readonly UnavailableOffering[],
  placement: Placement = {},
): (of: OfferingKey) => boolean {
  const known = new Set(
    offerings
      .filter((mark) => mark.subnetId === undefined && !isZoneRefusal(mark) && concerns(mark, placement))
      .map((mark) => capacityKey(mark)),
  );
  return ({ type, zone, capacityType, reservationId }) =>
    known.has(offeringKey(capacityType, type, zone)) ||
    (reservationId !== undefined &&
      known.has(capacityKey({ instanceType: type, zone, capacityType, reservationId }))) ||
    known.has(offeringKey(capacityType, ANY_OFFERING, zone)) ||
    known.has(offeringKey(capacityType, ANY_OFFERING, ANY_OFFERING));
}

/** Whether the mark is on a zone and capacity type that refused across families. */
export function isZoneRefusal({ instanceType, reason }: Pick<UnavailableOffering, 'instanceType' | 'reason'>): boolean {
  return instanceType === ANY_OFFERING && reason === REFUSED_ACROSS_FAMILIES;
}

/** Whether a mark concerns launches with this placement. */
function concerns({ placementGroupId, tenancy, nodeClass }: UnavailableOffering, placement: Placement): boolean {
  return (
    (placementGroupId === undefined || placementGroupId === placement.placementGroupId) &&
    (tenancy === undefined || tenancy === placement.tenancy) &&
    (nodeClass === undefined || nodeClass === placement.nodeClass)
  );
}

/** The placement of launches into this group with this tenancy, of this NodeClass. */
export function placementIn(
  group: { readonly id: string } | undefined,
  others: Pick<Placement, 'tenancy' | 'nodeClass'>,
): Placement {
  return optional({ placementGroupId: group?.id, ...others });
}

/** The NodeClass in marks, which all clusters of the account share. */
export function markedClass(cluster: string, nodeClass: string): string {
  return `${cluster}/${nodeClass}`;
}

/** The placement of the instances of a template. */
export function placementOfTemplate(template: LaunchTemplateSpec | undefined): Placement {
  return placementIn(template?.placementGroup, template?.dedicated === true ? { tenancy: 'dedicated' } : {});
}

/** C43: the tenancy that the requirements force. */
export function tenancyOf(requirements: Requirements): Pick<Placement, 'tenancy'> {
  return isDedicated(requirements) ? { tenancy: 'dedicated' } : {};
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
