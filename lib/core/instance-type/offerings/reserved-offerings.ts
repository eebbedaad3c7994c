import { optional } from '../../../apis/optional.ts';
import type { Offering, Reservation } from '../../model/instance-type.ts';
import type { NodeClaimRecord } from '../../model/node-claim-record.ts';
import type { ResolvedCapacityReservation } from '../../model/resolved-node-class.ts';
import type { RegionalOffering } from '../facts.ts';
import type { AvailabilityOptions } from './availability.ts';

/** C30: reserved offerings sort before all others, in the order of their on-demand prices. */
const DISCOUNT = 10_000_000;

/**
 * C31: the reservations without the instances that these claims took after EC2 counted: the count is cached for a minute.
 * *Cost:* O(claims), and nothing without reservations.
 */
export function withoutLaterLaunches(
  reservations: readonly ResolvedCapacityReservation[],
  nodeClaims: readonly NodeClaimRecord[],
): readonly ResolvedCapacityReservation[] {
  if (reservations.length === 0) return reservations;
  const launchedAtMs = Map.groupBy(
    nodeClaims.flatMap(({ launch }) => (launch.kind === 'launched' ? [launch] : [])),
    ({ instance }) => instance.reservation?.id,
  );
  return reservations.map(({ countedAtMs = Infinity, ...one }) => {
    const taken = (launchedAtMs.get(one.id) ?? []).filter(({ atMs }) => atMs >= countedAtMs).length;
    return { ...one, availableInstances: Math.max(0, one.availableInstances - taken) };
  });
}

/** C22, C38: the kind of the reservation, which decides how a launch requests it. */
export function reservationKind({
  type,
  interruptible,
}: Pick<ResolvedCapacityReservation, 'type' | 'interruptible'>): NonNullable<Reservation['kind']> {
  if (type === 'capacity-block') return 'capacity-block';
  return interruptible ? 'interruptible' : 'default';
}

/**
 * The offerings of the NodeClass's reservations for a type in a zone. *Shape:* one offering for each reservation. It is
 * unavailable if the reservation is not active or the zone has no subnet; it has 0 instances if all are in use, and the price 0 if
 * the type has no on-demand price.
 * *Source:* C25, C26, C30, C31.
 */
export function reservedOfferings(
  { type, zone, zoneId, onDemandUsdPerHour }: RegionalOffering,
  { zones, isUnavailable, reservations = [] }: AvailabilityOptions,
): readonly Offering[] {
  return reservations
    .filter((one) => one.instanceType === type && one.zone === zone)
    .map(({ id: reservationId, state, availableInstances, ...what }) => {
      // C34: EC2 reported that no instance is left, so its count is ignored.
      const isUsedUp = isUnavailable?.({ type, zone, capacityType: 'reserved', reservationId }) === true;
      return {
        zone,
        ...optional({ zoneId }),
        capacityType: 'reserved',
        // Some types, such as p5e.48xlarge, are sold only in capacity blocks, and have no other price.
        priceUsdPerHour: (onDemandUsdPerHour ?? 0) / DISCOUNT,
        available: state === 'active' && (zones?.has(zone) ?? true),
        reservation: { id: reservationId, instances: isUsedUp ? 0 : availableInstances, kind: reservationKind(what) },
      };
    });
}
