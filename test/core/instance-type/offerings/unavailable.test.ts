import { describe, expect, test } from 'vitest';
import {
  exhaustedSubnets,
  unavailability,
  unavailableKey,
  zonesWithAddresses,
} from '../../../../lib/core/instance-type/offerings/unavailable.ts';
import { ANY_OFFERING, type UnavailableOffering } from '../../../../lib/core/model/decision.ts';

const ONE = { type: 'm5.large', zone: 'eu-west-3a', capacityType: 'spot' } as const;

function lacking(over: Partial<UnavailableOffering> = {}): UnavailableOffering {
  return { instanceType: 'm5.large', zone: 'eu-west-3a', capacityType: 'spot', untilMs: 1, reason: 'x', ...over };
}

describe('how wide a lack of capacity is (C32)', () => {
  test.each([
    ['the offering', lacking(), true],
    ['another type', lacking({ instanceType: 'm6.large' }), false],
    ['another zone', lacking({ zone: 'eu-west-3b' }), false],
    ['another capacity type', lacking({ capacityType: 'on-demand' }), false],
    ['its whole zone', lacking({ instanceType: ANY_OFFERING }), true],
    ['its whole capacity type', lacking({ instanceType: ANY_OFFERING, zone: ANY_OFFERING }), true],
    [
      'the whole of another capacity type',
      lacking({ instanceType: ANY_OFFERING, zone: ANY_OFFERING, capacityType: 'reserved' }),
      false,
    ],
    ['a subnet of its zone, alone', lacking({ instanceType: ANY_OFFERING, subnetId: 'subnet-a' }), false],
  ])('%s', (_, mark, expected) => {
    expect(unavailability([mark])(ONE)).toBe(expected);
  });
});

describe('a mark of one placement concerns launches with this placement only', () => {
  const [group, dedicated] = [{ placementGroupId: 'pg-1' }, { tenancy: 'dedicated' as const }];
  const ofClass = { nodeClass: 'dev/default' };

  test.each([
    ['of a group, a launch outside groups', group, {}, false],
    ['of a group, a launch in it', group, group, true],
    ['of a group, a launch in it on dedicated hardware', group, { ...group, ...dedicated }, true],
    ['of a group, a launch in another group', group, { placementGroupId: 'pg-2' }, false],
    ['of dedicated hardware, a launch on shared hardware', dedicated, {}, false],
    ['of dedicated hardware, a launch on it', dedicated, dedicated, true],
    ['of both, a launch in the group on shared hardware', { ...group, ...dedicated }, group, false],
    ['of any placement, a launch in a group', {}, group, true],
    ['of a NodeClass, a launch of it', ofClass, ofClass, true],
    ['of a NodeClass, a launch of another one', ofClass, { nodeClass: 'dev/gpu' }, false],
    [
      'of a NodeClass, a launch of that with its name in another cluster',
      ofClass,
      { nodeClass: 'prod/default' },
      false,
    ],
    ['of any NodeClass, a launch of one', {}, ofClass, true],
  ])('%s', (...[, where, placement, expected]) => {
    expect(unavailability([lacking(where)], placement)(ONE)).toBe(expected);
  });

  test('the marks of two placements of an offering have two keys', () => {
    const placements = [{}, group, dedicated, { ...group, ...dedicated }, ofClass, { nodeClass: 'prod/default' }];
    const keys = placements.map((where) => unavailableKey(lacking(where)));
    expect(new Set(keys).size).toBe(6);
    expect(keys[0]).toBe('spot/m5.large/eu-west-3a');
  });
});

test('a reservation that is used up is the only one that lacks capacity', () => {
  const isUnavailable = unavailability([lacking({ capacityType: 'reserved', reservationId: 'cr-1' })]);
  const reserved = { ...ONE, capacityType: 'reserved' } as const;
  expect(isUnavailable({ ...reserved, reservationId: 'cr-1' })).toBe(true);
  expect(isUnavailable({ ...reserved, reservationId: 'cr-2' })).toBe(false);
  expect(isUnavailable(reserved)).toBe(false);
});

describe('subnets without free addresses', () => {
  const subnets = [
    { id: 'subnet-a1', zone: 'a' },
    { id: 'subnet-a2', zone: 'a' },
    { id: 'subnet-b', zone: 'b' },
  ];
  const full = (...ids: readonly string[]) =>
    ids.map((subnetId) => lacking({ instanceType: ANY_OFFERING, zone: 'a', subnetId }));

  test('they are named', () => {
    expect(exhaustedSubnets([...full('subnet-a1'), lacking()])).toEqual(new Set(['subnet-a1']));
  });

  test('a zone is there until all its subnets are full', () => {
    expect(zonesWithAddresses(subnets, full('subnet-a1'))).toEqual(new Set(['a', 'b']));
    expect(zonesWithAddresses(subnets, full('subnet-a1', 'subnet-a2'))).toEqual(new Set(['b']));
  });
});
