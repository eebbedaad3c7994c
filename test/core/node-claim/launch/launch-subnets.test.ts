import { describe, expect, test } from 'vitest';
import { addressesInFlight, roomiestSubnets } from '../../../../lib/core/node-claim/launch/launch-subnets.ts';
import { aClaim, aFleet } from '../../../builders/node-claims.ts';
import { NOW_MS } from '../../../builders/times.ts';

const subnet = (id: string, zone: string, freeAddresses: number) => ({ id, zone, zoneId: `id-${zone}`, freeAddresses });
const SUBNETS = [subnet('a1', 'a', 100), subnet('a2', 'a', 90), subnet('b1', 'b', 5)];
const idsOf = (chosen: ReturnType<typeof roomiestSubnets>) => [...chosen.values()].map(({ id }) => id);
const request = aFleet();
const launching = aClaim({ launch: { kind: 'requested', attempt: 1, request, atMs: NOW_MS } });

describe('the subnet of a zone (C45)', () => {
  test('is the one with the most free addresses, ties by order', () => {
    expect(idsOf(roomiestSubnets(SUBNETS, new Map(), []))).toEqual(['a1', 'b1']);
    expect(idsOf(roomiestSubnets([subnet('x', 'a', 9), subnet('y', 'a', 9)], new Map(), []))).toEqual(['x']);
  });

  test('is another one if launches in progress will use the free addresses', () => {
    expect(idsOf(roomiestSubnets(SUBNETS, new Map([['a1', 29]]), []))).toEqual(['a2', 'b1']);
    expect(idsOf(roomiestSubnets(SUBNETS, new Map([['b1', 29]]), [])), 'the only one is taken all the same').toEqual([
      'a1',
      'b1',
    ]);
  });

  test('is not one that recently had no free addresses (C32)', () => {
    const full = {
      instanceType: '*',
      zone: 'a',
      capacityType: 'spot',
      subnetId: 'a1',
      untilMs: NOW_MS,
      reason: '',
    } as const;
    expect(idsOf(roomiestSubnets(SUBNETS, new Map(), [full]))).toEqual(['a2', 'b1']);
  });
});

describe('addresses in flight (C45)', () => {
  test('a launch uses one for each pod of its smallest type, in each subnet of its request', () => {
    expect(addressesInFlight([launching, launching])).toEqual(new Map([['subnet-a', 58]]));
  });

  test('claims that are not requested, or already launched, use none', () => {
    const refused = { kind: 'refused', attempt: 1, message: '', atMs: NOW_MS } as const;
    expect(addressesInFlight([aClaim(), aClaim({ launch: refused })]).size).toBe(0);
  });
});
