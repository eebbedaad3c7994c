import { reservationKind } from '../../instance-type/offerings/reserved-offerings.ts';
import type { Reservation } from '../../model/instance-type.ts';
import type { LaunchOption } from '../../model/node-claim-record.ts';
import type { ResolvedCapacityReservation } from '../../model/resolved-node-class.ts';

type Kind = NonNullable<Reservation['kind']>;

/** C38: if prices are equal, the first in this order is used. */
const KINDS: readonly Kind[] = ['default', 'capacity-block', 'interruptible'];

/**
 * The lines of reserved capacity that one request can contain: one kind of reservation, because the kinds need different
 * requests; only one capacity block; and for each type and zone the reservation with the most available instances.
 * *Expects:* options of reserved capacity, cheapest first. *Source:* C38, filters 2 to 4.
 */
export function reservedLines<Line extends LaunchOption>(
  lines: readonly Line[],
  reservations: readonly ResolvedCapacityReservation[],
): readonly Line[] {
  const byId = new Map(reservations.map((one) => [one.id, one]));
  const known = lines.flatMap((line) => {
    const reservation = byId.get(line.reservationId ?? '');
    return reservation === undefined ? [] : [{ line, reservation, kind: reservationKind(reservation) }];
  });
  const least = Math.min(...known.map(({ line }) => line.priceUsdPerHour));
  const chosen = KINDS.find((kind) => known.some((one) => one.kind === kind && one.line.priceUsdPerHour === least));
  const ofKind = known.filter(({ kind }) => kind === chosen);
  if (chosen === 'capacity-block') return ofKind.slice(0, 1).map(({ line }) => line);
  const places = Map.groupBy(ofKind, ({ line }) => `${line.instanceType} ${line.zone}`);
  const best = new Set([...places.values()].map((same) => same.reduce((a, b) => (hasMoreLeft(b, a) ? b : a)).line));
  return lines.filter((line) => best.has(line));
}

function hasMoreLeft(
  a: { readonly reservation: ResolvedCapacityReservation },
  b: { readonly reservation: ResolvedCapacityReservation },
): boolean {
  return a.reservation.availableInstances > b.reservation.availableInstances;
}
