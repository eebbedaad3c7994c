import { describe, expect, test } from 'vitest';
import type { AvailabilityOptions } from '../../../../lib/core/instance-type/offerings/availability.ts';
import { compatibleOfferings } from '../../../../lib/core/instance-type/offerings/compatible-offerings.ts';
import { withoutLaterLaunches } from '../../../../lib/core/instance-type/offerings/reserved-offerings.ts';
import { instanceTypesFor } from '../../../../lib/core/instance-type/resolve.ts';
import type { NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import { requirementsFrom } from '../../../../lib/core/requirements/requirements.ts';
import { factsOf } from '../../../builders/catalogue-facts.ts';
import { aReservation } from '../../../builders/launch-context.ts';
import { launchedClaim } from '../../../builders/node-claims.ts';
import { aNodeClass, asking } from '../../../builders/node-pools.ts';

const REGION = { type: 'm5.large', zoneId: 'id', onDemandUsdPerHour: 0.2, spotUsdPerHour: 0.1 };
const catalogue = {
  region: 'eu-west-3',
  asOf: '2026-01-31T08:00:00Z',
  facts: [factsOf({ name: 'm5.large' })],
  offerings: [
    { ...REGION, zone: 'eu-west-3a' },
    { ...REGION, zone: 'eu-west-3b' },
  ],
};

function launchedAt(createdAtMs: number, id = 'cr-1'): NodeClaimRecord {
  return launchedClaim({ createdAtMs }, { reservation: { id, kind: 'default' } });
}

describe('a reservation without the instances that were launched after EC2 counted two free ones (C31)', () => {
  test.each([
    { what: 'has both, if none was launched', claims: [], left: 2 },
    { what: 'leaves out later launches', claims: [launchedAt(9), launchedAt(10)], left: 1 },
    { what: 'of its own', claims: [launchedAt(11, 'cr-2'), launchedAt(11)], left: 1 },
    { what: 'has none if more were launched', claims: [launchedAt(11), launchedAt(12), launchedAt(13)], left: 0 },
  ])('$what', ({ claims, left }) => {
    const counted = aReservation({ availableInstances: 2, countedAtMs: 10 });
    expect(withoutLaterLaunches([counted], claims)).toEqual([aReservation({ availableInstances: left })]);
  });

  test('has what EC2 counts now', () => {
    const counted = aReservation({ availableInstances: 2 });
    expect(withoutLaterLaunches([counted], [launchedAt(11)])).toEqual([counted]);
  });
});

function typeWith(options: AvailabilityOptions) {
  const [type] = instanceTypesFor(catalogue, aNodeClass(), options);
  if (type === undefined) throw new Error('no type');
  return type;
}
const reservedOf = (options: AvailabilityOptions) =>
  typeWith(options).offerings.filter(({ capacityType }) => capacityType === 'reserved');

const isFirst: AvailabilityOptions['isUnavailable'] = ({ reservationId }) => reservationId === 'cr-1';

describe('what a reservation offers (C25)', () => {
  test('is its type in its zone, at next to nothing (C30)', () => {
    expect(
      reservedOf({ reservations: [aReservation(), aReservation({ id: 'cr-2', instanceType: 'm5.xlarge' })] }),
    ).toEqual([
      {
        zone: 'eu-west-3a',
        zoneId: 'id',
        capacityType: 'reserved',
        priceUsdPerHour: 0.2 / 10_000_000,
        available: true,
        reservation: { id: 'cr-1', instances: 5, kind: 'default' },
      },
    ]);
    expect(reservedOf({})).toEqual([]);
  });

  test('is free if the type is sold only in capacity blocks (C30)', () => {
    const offerings = [{ type: 'm5.large', zone: 'eu-west-3a', zoneId: 'id' }];
    const [type] = instanceTypesFor({ ...catalogue, offerings }, aNodeClass(), { reservations: [aReservation()] });
    expect(type?.offerings).toMatchObject([{ capacityType: 'reserved', priceUsdPerHour: 0, available: true }]);
  });

  test.each([
    ['it expires (C31)', { state: 'expiring' }, {}],
    ['no subnet is there (C26)', {}, { zones: new Set(['eu-west-3b']) }],
  ] as const)('is not available if %s', (_, over, options) => {
    expect(reservedOf({ ...options, reservations: [aReservation(over)] })).toMatchObject([{ available: false }]);
  });

  test('has no instances left where EC2 said so, whatever it counts (C34)', () => {
    const reservations = [aReservation(), aReservation({ id: 'cr-2' })];
    expect(
      reservedOf({ isUnavailable: isFirst, reservations }).map(({ reservation }) => reservation?.instances),
    ).toEqual([0, 5]);
  });

  test('has labels that pools and pods may ask for (C22)', () => {
    const reservations = [
      aReservation(),
      aReservation({ id: 'cr-2', type: 'capacity-block' }),
      aReservation({ id: 'cr-3', interruptible: true }),
    ];
    const type = typeWith({ reservations });
    const asked = (label: string, value: string) =>
      compatibleOfferings(
        type,
        requirementsFrom([asking(`karpenter.k8s.aws/capacity-reservation-${label}`, 'In', value)]),
      ).map(({ reservation }) => reservation?.id);
    expect(asked('id', 'cr-2')).toEqual(['cr-2']);
    expect(asked('type', 'capacity-block')).toEqual(['cr-2']);
    expect(asked('type', 'default')).toEqual(['cr-1', 'cr-3']);
    expect(asked('interruptible', 'true')).toEqual(['cr-3']);
    expect(asked('interruptible', 'false')).toEqual(['cr-1', 'cr-2']);
    const values = (label: string) => type.requirements[`karpenter.k8s.aws/capacity-reservation-${label}`];
    expect(values('id')).toEqual(['cr-1', 'cr-2', 'cr-3']);
    expect(values('type')).toEqual(['default', 'capacity-block']);
    const unreserved = requirementsFrom([asking('karpenter.k8s.aws/capacity-reservation-id', 'DoesNotExist')]);
    expect(compatibleOfferings(type, unreserved).some(({ reservation }) => reservation !== undefined)).toBe(false);
  });
});
