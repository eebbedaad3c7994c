import { MINUTE_MS } from '../../apis/formats/time.ts';
import type { FleetOverride, Instance } from '../../core/model/node-claim-record.ts';
import type { ResolvedCapacityReservation } from '../../core/model/resolved-node-class.ts';
import type { Timetable } from '../timetable.ts';

/** The reservation of an instance, and when it ended. */
type Reserved = Pick<Instance, 'reservation'> & { readonly endedAtMs?: number };

/** The reservations with their free instances. Every NodeClass selects all of them. */
export function reservationsNow(
  reservations: readonly ResolvedCapacityReservation[],
  instances: Iterable<Reserved>,
): readonly ResolvedCapacityReservation[] {
  const running = [...instances].filter(({ endedAtMs }) => endedAtMs === undefined);
  return reservations.map((one) => {
    const inUse = running.filter(({ reservation }) => reservation?.id === one.id).length;
    return { ...one, availableInstances: Math.max(0, one.availableInstances - inUse) };
  });
}

/** C31: the reservations as NodeClasses select them. As in AWS, each count is cached for a minute. */
export function countedReservations(
  {
    timetable,
    capacityReservations = [],
  }: {
    readonly timetable: Timetable;
    readonly capacityReservations?: readonly ResolvedCapacityReservation[];
  },
  instances: ReadonlyMap<string, Reserved>,
): () => readonly ResolvedCapacityReservation[] {
  let known: readonly ResolvedCapacityReservation[] = [];
  let untilMs = 0;
  return () => {
    const countedAtMs = timetable.now();
    if (countedAtMs >= untilMs) {
      known = reservationsNow(capacityReservations, instances.values()).map((one) => ({ ...one, countedAtMs }));
      untilMs = countedAtMs + MINUTE_MS;
    }
    return known;
  };
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
