import { describe, expect, test } from 'vitest';
import { reservedLines } from '../../../../lib/core/node-claim/launch/reserved-lines.ts';
import { aReservation } from '../../../builders/launch-context.ts';

type Made = Parameters<typeof aReservation>[0] & { readonly price: number };

const BLOCK = { type: 'capacity-block' } as const;
const INTERRUPTIBLE = { interruptible: true } as const;

/** The selected reservations of these, cheapest first. */
function chosen(...made: readonly Made[]): readonly string[] {
  const reservations = made.map(({ price, ...over }, at) => ({ ...aReservation({ id: `cr-${at}`, ...over }), price }));
  const lines = reservations.map(({ id, instanceType, zone, price }) => ({
    instanceType,
    zone,
    capacityType: 'reserved' as const,
    priceUsdPerHour: price,
    reservationId: id,
  }));
  const sorted = lines.toSorted((a, b) => a.priceUsdPerHour - b.priceUsdPerHour);
  return reservedLines(sorted, reservations).map(({ reservationId }) => reservationId);
}

describe('one request for reserved capacity (C38)', () => {
  test('uses one kind, the one with the lowest price', () => {
    expect(chosen({ price: 2 }, { price: 1, ...INTERRUPTIBLE }, { price: 3, ...BLOCK })).toEqual(['cr-1']);
    expect(chosen({ price: 2, zone: 'b' }, { price: 4, zone: 'c' }, { price: 3, ...INTERRUPTIBLE })).toEqual([
      'cr-0',
      'cr-1',
    ]);
  });

  test('if prices are equal, prefers default reservations, then blocks, then interruptible ones', () => {
    expect(chosen({ price: 1, ...INTERRUPTIBLE }, { price: 1, ...BLOCK }, { price: 1 })).toEqual(['cr-2']);
    expect(chosen({ price: 1, ...INTERRUPTIBLE }, { price: 1, ...BLOCK })).toEqual(['cr-1']);
  });

  test('uses only the cheapest block', () => {
    expect(
      chosen({ price: 2, ...BLOCK }, { price: 1, zone: 'b', ...BLOCK }, { price: 3, zone: 'c', ...BLOCK }),
    ).toEqual(['cr-1']);
  });

  test('uses the reservation with the most available instances for each type and zone', () => {
    expect(
      chosen(
        { price: 1, availableInstances: 2 },
        { price: 1, availableInstances: 9 },
        { price: 1, zone: 'b', availableInstances: 1 },
        { price: 2, instanceType: 'm5.xlarge', availableInstances: 1 },
      ),
    ).toEqual(['cr-1', 'cr-2', 'cr-3']);
  });

  test('does not use reservations that the NodeClass no longer selects', () => {
    const line = { instanceType: 'm5.large', zone: 'a', capacityType: 'reserved', priceUsdPerHour: 1 } as const;
    expect(reservedLines([{ ...line, reservationId: 'cr-9' }, line], [aReservation()])).toEqual([]);
  });
});
