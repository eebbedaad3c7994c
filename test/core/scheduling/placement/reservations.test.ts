import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../../lib/apis/kubernetes.ts';
import type { InstanceType, Offering } from '../../../../lib/core/model/instance-type.ts';
import { anInstanceType, anOffering } from '../../../builders/instance-types.ts';
import { aClaim, claimSpec } from '../../../builders/node-claims.ts';
import { aPoolView, asking } from '../../../builders/node-pools.ts';
import { pendingPod, pendingPods } from '../../../builders/pods.ts';
import { place, placesOf, podsOfClaims, poolsOf, refusalsOf, typesOf, valuesOf } from '../problems.ts';

const CAPACITY_TYPE = 'karpenter.sh/capacity-type';
const RESERVATION = 'karpenter.k8s.aws/capacity-reservation-id';
const ZONE = 'topology.kubernetes.io/zone';

/** An offering with free instances of a reservation, at a ten-millionth of the on-demand price (C30). */
function reserved(id: string, instances: number, zone = 'eu-west-3a'): Offering {
  return { ...anOffering(zone, 'reserved', 1e-8), reservation: { id, instances } };
}

/** A type with on-demand, spot and reserved offerings. */
function large(...reservations: readonly Offering[]): InstanceType {
  return anInstanceType({
    offerings: [anOffering('eu-west-3a', 'on-demand'), anOffering('eu-west-3a', 'spot'), ...reservations],
  });
}

function xlarge(...reservations: readonly Offering[]): InstanceType {
  const offerings = [anOffering('eu-west-3a', 'on-demand', 0.2), ...reservations];
  return anInstanceType({ name: 'm5.xlarge', cpu: 4, memoryGib: 16, offerings });
}

const pools = (...types: readonly InstanceType[]) => [aPoolView({ types })];

/** Each fills an m5.large. */
const fillers = (count: number): readonly Pod[] => pendingPods(count, { requests: { cpu: '1500m' } });

const filler = (name: string, spec: Partial<Pod['spec']> = {}): Pod =>
  pendingPod({ name, requests: { cpu: '1500m' }, spec });

describe('the requirements of a claim for reserved capacity', () => {
  test('are reserved capacity and the possible reservations (B38)', () => {
    const schedule = place([pendingPod()], { nodePools: pools(large(reserved('cr-1', 3), reserved('cr-2', 1))) });
    expect(valuesOf(schedule, CAPACITY_TYPE)).toEqual([['reserved']]);
    expect(valuesOf(schedule, RESERVATION)).toEqual([['cr-1', 'cr-2']]);
    expect(schedule.newClaims[0]?.cheapest.offering.reservation?.id).toBe('cr-1');
  });

  test('exclude types without a reservation (B38)', () => {
    expect(typesOf(place([pendingPod()], { nodePools: pools(large(), xlarge(reserved('cr-1', 1))) }))).toEqual([
      ['m5.xlarge'],
    ]);
  });

  test('do not count for minValues, which apply to the types without the reservation (B24, B59)', () => {
    const requirements = [{ ...asking('node.kubernetes.io/instance-type', 'Exists'), minValues: 2 }];
    const nodePools = [aPoolView({ types: [large(reserved('cr-1', 1)), xlarge()], requirements })];
    const schedule = place([pendingPod()], { nodePools });
    expect(typesOf(schedule)).toEqual([['m5.large']]);
    expect(schedule.newClaims[0]?.minValuesRelaxed).toBe(false);
  });

  test('include the reservation that the pod requires, and no other (B59)', () => {
    const pod = pendingPod({ spec: { nodeSelector: { [RESERVATION]: 'cr-2' } } });
    const nodePools = pools(large(reserved('cr-1', 1), reserved('cr-2', 1)));
    expect(valuesOf(place([pod], { nodePools }), RESERVATION)).toEqual([['cr-2']]);
    expect(refusalsOf(place([pod], { nodePools: pools(large(reserved('cr-1', 1))) }))).toEqual([['NoOffering']]);
  });
});

describe('instances of a reservation', () => {
  test('are held by one claim each, and the other pods wait (B59)', () => {
    const schedule = place(fillers(3), { nodePools: pools(large(reserved('cr-1', 2))) });
    expect(podsOfClaims(schedule)).toEqual([['web-1'], ['web-2']]);
    expect(schedule.unplaced.map(({ refusals }) => refusals.map(({ refusal }) => refusal))).toEqual([
      [
        {
          reason: 'ReservationExhausted',
          message:
            'reserved capacity fits, but other claims use all of it (2 instances of cr-1): the pod waits for the next run',
          numbers: { reservations: 1, instances: 2 },
        },
      ],
    ]);
  });

  test('that are held are replaced by other capacity in a simulation (B59)', () => {
    const nodePools = pools(large(reserved('cr-1', 2)));
    const schedule = place(fillers(3), { nodePools, options: { reservedFallback: true } });
    expect(valuesOf(schedule, CAPACITY_TYPE)).toEqual([['reserved'], ['reserved'], ['on-demand', 'spot']]);
    expect(schedule.newClaims.at(-1)?.cheapest.offering.capacityType).toBe('spot');
  });

  test('a claim holds one instance of every reservation that it could use (B59)', () => {
    const apart = (name: string): Pod => filler(name, { containers: [portOf(name)] });
    const schedule = place([apart('a'), apart('b')], {
      nodePools: pools(large(reserved('cr-1', 1)), xlarge(reserved('cr-2', 1))),
    });
    expect(valuesOf(schedule, RESERVATION)).toEqual([['cr-1', 'cr-2']]);
    expect(refusalsOf(schedule)).toEqual([['ReservationExhausted']]);
  });

  test('a claim releases reservations that become too small for its pods (B59)', () => {
    const big = pendingPod({ name: 'big', requests: { cpu: '3' } });
    const schedule = place([filler('small'), big], {
      nodePools: pools(large(reserved('cr-1', 1)), xlarge(reserved('cr-2', 1))),
    });
    expect(podsOfClaims(schedule)).toEqual([['big'], ['small']]);
    expect(valuesOf(schedule, RESERVATION)).toEqual([['cr-2'], ['cr-1']]);
  });

  test('a claim that grows releases the reservations that no longer fit (B59)', () => {
    const nodePools = pools(large(reserved('cr-1', 1)), xlarge(reserved('cr-2', 1)));
    const schedule = place(pendingPods(5, { requests: { cpu: '750m' } }), { nodePools });
    expect(podsOfClaims(schedule).flat()).toHaveLength(5);
    expect(valuesOf(schedule, RESERVATION)).toEqual([['cr-2']]);
  });

  test('a claim that is not launched yet holds its reservations (B59)', () => {
    const requirements = [{ key: RESERVATION, operator: 'In', values: ['cr-1'] }] as const;
    const nodeClaims = [aClaim({ spec: claimSpec({ requirements: [...requirements] }) })];
    const schedule = place(fillers(2), { nodePools: pools(large(reserved('cr-1', 1))), nodeClaims });
    expect(placesOf(schedule)).toEqual({ 'web-1': 'general-1' });
    expect(refusalsOf(schedule)).toEqual([['ReservationExhausted']]);
  });

  test('if pools have different counts for one reservation, the smallest applies (B59)', () => {
    const nodePools = [
      aPoolView({ name: 'one', types: [large(reserved('cr-1', 2))], weight: 2 }),
      aPoolView({ name: 'two', types: [large(reserved('cr-1', 1))], weight: 1 }),
    ];
    expect(poolsOf(place(fillers(2), { nodePools }))).toEqual(['one']);
  });
});

describe('pods that cannot use reserved capacity, or do not need it', () => {
  test('a pod that excludes reserved capacity does not join the claim, which stays reserved (B59)', () => {
    const pods = [
      pendingPod({ name: 'any' }),
      pendingPod({ name: 'od', spec: { nodeSelector: { [CAPACITY_TYPE]: 'on-demand' } } }),
    ];
    const schedule = place(pods, { nodePools: pools(large(reserved('cr-1', 1))) });
    expect(podsOfClaims(schedule)).toEqual([['any'], ['od']]);
    expect(valuesOf(schedule, CAPACITY_TYPE)).toEqual([['reserved'], ['on-demand']]);
  });

  test('a pod that is too large for the reservation uses other capacity (B59)', () => {
    const pod = pendingPod({ requests: { cpu: '3' } });
    const schedule = place([pod], { nodePools: pools(large(reserved('cr-1', 1)), xlarge()) });
    expect(valuesOf(schedule, CAPACITY_TYPE)).toEqual([['on-demand', 'spot']]);
  });

  test('a pod does not wait for a reservation without a free instance (B59)', () => {
    const schedule = place([pendingPod()], { nodePools: pools(large(reserved('cr-1', 0))) });
    expect(schedule.newClaims[0]?.cheapest.offering.capacityType).toBe('spot');
  });

  test('a pod waits for a free instance if the pool has no other offerings (B59)', () => {
    const requirements = [asking(CAPACITY_TYPE, 'In', 'reserved')];
    const nodePools = [aPoolView({ types: [large(reserved('cr-1', 0))], requirements })];
    const { refusal } = place([pendingPod()], { nodePools }).unplaced[0]?.refusals[0] ?? {};
    expect(refusal?.message).toBe(
      'only reserved capacity fits, and it has no free instance (cr-1): the pod waits for one',
    );
    expect(refusalsOf(place([pendingPod()], { nodePools, options: { reservedFallback: true } }))).toEqual([
      ['NoOffering'],
    ]);
  });
});

describe('while a pod waits for reserved capacity', () => {
  test('it does not use a pool with lower weight (B35)', () => {
    const nodePools = [
      aPoolView({ name: 'heavy', types: [large(reserved('cr-1', 1))], weight: 10 }),
      aPoolView({ name: 'light', types: [large()] }),
    ];
    const schedule = place(fillers(2), { nodePools });
    expect(poolsOf(schedule)).toEqual(['heavy']);
    expect(refusalsOf(schedule)).toEqual([['ReservationExhausted', 'ReservationExhausted']]);
    expect(schedule.unplaced[0]?.refusals[1]?.refusal.message).toContain('NodePool heavy');
  });

  test('it uses a pool with higher weight (B35)', () => {
    const nodePools = [
      aPoolView({ name: 'heavy', types: [large()], weight: 10 }),
      aPoolView({ name: 'light', types: [large(reserved('cr-1', 1))] }),
    ];
    expect(poolsOf(place(fillers(2), { nodePools }))).toEqual(['heavy', 'heavy']);
  });

  test('its preferences are not relaxed (B30)', () => {
    const nodePools = pools(anInstanceType({ offerings: [reserved('cr-1', 1), reserved('cr-2', 1, 'eu-west-3b')] }));
    const inZoneA = { matchExpressions: [{ key: ZONE, operator: 'In' as const, values: ['eu-west-3a'] }] };
    const must = filler('must', { nodeSelector: { [ZONE]: 'eu-west-3a' } });
    const likes = filler('would-like', {
      affinity: {
        nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: inZoneA }] },
      },
    });
    const schedule = place([must, likes], { nodePools });
    expect(podsOfClaims(schedule)).toEqual([['must']]);
    expect(refusalsOf(schedule)).toEqual([['ReservationExhausted']]);
    expect(podsOfClaims(place([must, likes], { nodePools, options: { preferencePolicy: 'Ignore' } }))).toHaveLength(2);
  });
});

function portOf(name: string): Pod['spec']['containers'][number] {
  return {
    name,
    resources: { requests: { cpu: '1500m' } },
    ports: [{ containerPort: 80, hostPort: 80 }],
  };
}
