import type { FleetOverride, Instance } from '../../core/model/node-claim-record.ts';
import type { ResolvedCapacityReservation } from '../../core/model/resolved-node-class.ts';

/** The reservations with their free instances. Every NodeClass selects all of them. */
export function reservationsNow(
  reservations: readonly ResolvedCapacityReservation[],
  instances: Iterable<Pick<Instance, 'reservation'> & { readonly endedAtMs?: number }>,
): readonly ResolvedCapacityReservation[] {
  const running = [...instances].filter(({ endedAtMs }) => endedAtMs === undefined);
  return reservations.map((one) => {
    const inUse = running.filter(({ reservation }) => reservation?.id === one.id).length;
    return { ...one, availableInstances: Math.max(0, one.availableInstances - inUse) };
  });
}

/** Whether the override requires reserved capacity that is not available. */
export function isSimulatedReservationUsedUp(
  line: FleetOverride,
  now: readonly ResolvedCapacityReservation[],
): boolean {
  if (line.capacityType !== 'reserved') return false;
  const one = now.find(({ id }) => id === line.reservationId);
  return one?.instanceType !== line.instanceType || one.zone !== line.zone || one.availableInstances === 0;
}
