import { reservationKind } from '../../instance-type/offerings/reserved-offerings.ts';
import type { Reservation } from '../../model/instance-type.ts';
import type { LaunchOption } from '../../model/node-claim-record.ts';
import type { ResolvedCapacityReservation } from '../../model/resolved-node-class.ts';

type Kind = NonNullable<Reservation['kind']>;

/** C38: of equal prices the one that comes first here. */
const KINDS: readonly Kind[] = ['default', 'capacity-block', 'interruptible'];

/**
 * What of reserved capacity one request may name: one kind, since each is asked for in another way; of capacity blocks a
 * single one; of a type in a zone the reservation with the most instances left.
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
  const best = new Set([...places.values()].map((rivals) => rivals.reduce((a, b) => (moreIsLeft(b, a) ? b : a)).line));
  return lines.filter((line) => best.has(line));
}

function moreIsLeft(
  a: { readonly reservation: ResolvedCapacityReservation },
  b: { readonly reservation: ResolvedCapacityReservation },
): boolean {
  return a.reservation.availableInstances > b.reservation.availableInstances;
}
