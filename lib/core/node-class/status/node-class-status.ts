import type { EC2NodeClassStatus } from '../../../apis/ec2-node-class.ts';
import { formatTime } from '../../../apis/formats/time.ts';
import { optional } from '../../../apis/optional.ts';
import { sameContent } from '../../canonical-json.ts';
import { compareText } from '../../compare-text.ts';
import type { ResolvedCapacityReservation, ResolvedNodeClass } from '../../model/resolved-node-class.ts';

type Resources = Omit<EC2NodeClassStatus, 'conditions'>;
type Reservations = NonNullable<Resources['capacityReservations']>;

/**
 * A3.27: the resources that were found, in the form of an EC2NodeClass status.
 *
 * *Shape:* subnets are ordered by free addresses, which change often. If the set of subnets is unchanged, their previous
 * order is kept, so the status is not rewritten.
 */
export function resourcesFound(
  found: Partial<ResolvedNodeClass>,
  instanceProfile: string | undefined,
  before: EC2NodeClassStatus = {},
): Resources {
  const subnets = found.subnets?.map(({ id, zone, zoneId }) => ({
    id,
    zone,
    ...(zoneId !== '' && { zoneID: zoneId }),
  }));
  const { capacityReservations = [] } = found;
  return {
    ...(subnets !== undefined && subnets.length > 0 && { subnets: asBefore(subnets, before.subnets) }),
    ...(isSome(found.securityGroups) && { securityGroups: found.securityGroups.map(({ id, name }) => ({ id, name })) }),
    ...(isSome(found.images) && { amis: found.images.map(amiOf) }),
    ...(capacityReservations.length > 0 && {
      capacityReservations: capacityReservations.map(reservationOf).toSorted(byId),
    }),
    ...optional({ instanceProfile }),
  };
}

export function isSome<T>(list: readonly T[] | undefined): list is readonly T[] {
  return list !== undefined && list.length > 0;
}

function asBefore<T extends { readonly id: string }>(now: readonly T[], before: readonly T[] = []): readonly T[] {
  return sameContent(now.toSorted(byId), before.toSorted(byId)) ? before : now;
}

function amiOf({ id, name, deprecated, requirements }: ResolvedNodeClass['images'][number]) {
  return {
    id,
    name,
    ...(deprecated && { deprecated }),
    requirements: requirements.map(({ key, operator, values }) => ({
      key,
      operator,
      ...optional({ values }),
    })),
  };
}

function reservationOf(reservation: ResolvedCapacityReservation): Reservations[number] {
  const { id, zone, instanceType, matchCriteria, ownerId, type, state, interruptible, endsAtMs } = reservation;
  return {
    id,
    availabilityZone: zone,
    instanceType,
    instanceMatchCriteria: matchCriteria,
    ownerID: ownerId,
    reservationType: type,
    state,
    ...(interruptible && { interruptible }),
    ...(endsAtMs !== undefined && { endTime: formatTime(endsAtMs) }),
  };
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return compareText(a.id, b.id);
}
