import type { ResolvedCapacityReservation } from '../node-class/resolved-node-class.ts';
import type { AvailabilityOptions } from './availability.ts';
import type { RegionalOffering } from './facts.ts';
import type { Offering, Reservation } from './instance-type.ts';

/** C30: so cheap that it always comes first, and still in the order of the prices on demand. */
const DISCOUNT = 10_000_000;

/** C22, C38: which of the three ways of asking for it a reservation wants. */
export function reservationKind({
  type,
  interruptible,
}: Pick<ResolvedCapacityReservation, 'type' | 'interruptible'>): NonNullable<Reservation['kind']> {
  if (type === 'capacity-block') return 'capacity-block';
  return interruptible ? 'interruptible' : 'default';
}

/**
 * What the NodeClass's reservations offer of a type in a zone. *Shape:* one offering a reservation; unavailable where it
 * expires or no subnet is, without instances where they are all in use. *Source:* C25, C26, C30, C31.
 */
export function reservedOfferings(
  { type, zone, zoneId, onDemandUsdPerHour }: RegionalOffering,
  { zones, isUnavailable, reservations = [] }: AvailabilityOptions,
): readonly Offering[] {
  if (onDemandUsdPerHour === undefined) return [];
  return reservations
    .filter((one) => one.instanceType === type && one.zone === zone)
    .map(({ id: reservationId, state, availableInstances, ...what }) => {
      // C34: EC2 said that none is left, whatever it counts.
      const isUsedUp = isUnavailable?.({ type, zone, capacityType: 'reserved', reservationId }) === true;
      return {
        zone,
        zoneId,
        capacityType: 'reserved',
        priceUsdPerHour: onDemandUsdPerHour / DISCOUNT,
        available: state === 'active' && (zones?.has(zone) ?? true),
        reservation: { id: reservationId, instances: isUsedUp ? 0 : availableInstances, kind: reservationKind(what) },
      };
    });
}
