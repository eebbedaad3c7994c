import { describe, expect, test } from 'vitest';
import type { Labels, Pod } from '../../../../lib/apis/kubernetes.ts';
import type { InstanceType, Offering } from '../../../../lib/core/model/instance-type.ts';
import { launchOptions } from '../../../../lib/core/scheduling/pools/launch-options.ts';
import type { Schedule } from '../../../../lib/core/scheduling/schedule.ts';
import { anInstanceType, anOffering } from '../../../builders/instance-types.ts';
import { aPoolView, asking } from '../../../builders/node-pools.ts';
import { pendingPod, pendingPods } from '../../../builders/pods.ts';
import { place, refusalsOf, typesOf } from '../problems.ts';

const TYPE = 'node.kubernetes.io/instance-type';
const ZONE = 'topology.kubernetes.io/zone';
const [A, B] = ['eu-west-3a', 'eu-west-3b'] as const;
const FACTOR = 'kerf.dev/max-price-factor';
const pod = pendingPod({ requests: { cpu: '1' } });

interface Sold {
  readonly cpu: number;
  readonly price: number;
  readonly missing?: boolean;
  readonly offerings?: readonly Offering[];
}

/** A pool with these types, on demand in one zone. */
function poolOf(sold: Readonly<Record<string, Sold>>, annotations: Labels = {}) {
  const types = Object.entries(sold).map(([name, { cpu, price, missing = false, offerings }]): InstanceType => {
    const missed = missing ? ({ available: false, shortage: 'missing' } as const) : {};
    const own = [{ ...anOffering(A, 'on-demand', price), ...missed }];
    return anInstanceType({ name, cpu, memoryGib: cpu * 4, pods: 200, offerings: offerings ?? own });
  });
  return aPoolView({ types, poolAnnotations: annotations });
}

function placed(pods: readonly Pod[], ...nodePools: ReturnType<typeof poolOf>[]): Schedule {
  return place(pods, { nodePools });
}

function capacityTypesOf({ newClaims }: Schedule): readonly string[] {
  return newClaims.map(({ cheapest: { offering } }) => offering.capacityType);
}

const ONLY_LARGE = {
  'm5.large': { cpu: 2, price: 0.1, missing: true },
  'm5.24xlarge': { cpu: 96, price: 4.8 },
};

describe('a node that costs more than 3 times the cheapest compatible one if no capacity were missing', () => {
  test('is refused, and the pod is reported with both prices', () => {
    const schedule = placed([pod], poolOf(ONLY_LARGE));
    expect(typesOf(schedule)).toEqual([]);
    expect(schedule.unplaced.flatMap(({ refusals }) => refusals.map(({ refusal }) => refusal))).toEqual([
      {
        reason: 'PriceTooHigh',
        message:
          'the cheapest node with capacity costs $4.8/h, more than 3 times the $0.1/h of the cheapest compatible one, which has no capacity now: wait, or raise kerf.dev/max-price-factor of NodePool general',
        numbers: { priceUsdPerHour: 4.8, usualUsdPerHour: 0.1, maxPriceFactor: 3 },
      },
    ]);
  });

  test.each([
    ['50', ['m5.24xlarge']],
    ['Off', ['m5.24xlarge']],
    ['47.5', undefined],
    ['many', undefined],
  ])('is allowed by the annotation of the NodePool: %s', (factor, types) => {
    const schedule = placed([pod], poolOf(ONLY_LARGE, { [FACTOR]: factor }));
    expect(typesOf(schedule)).toEqual(types === undefined ? [] : [types]);
  });

  test('is launched if the cheapest one costs nothing, as a NodeOverlay can say: nothing has no multiple', () => {
    const free = { 'm5.large': { cpu: 2, price: 0, missing: true }, 'm5.xlarge': { cpu: 4, price: 0.2 } };
    expect(typesOf(placed([pod], poolOf(free)))).toEqual([['m5.xlarge']]);
  });

  test('is launched if pods fill it: the node is compared with the cheapest one for all of its pods', () => {
    const schedule = placed(pendingPods(90, { requests: { cpu: '1' } }), poolOf(ONLY_LARGE));
    expect(typesOf(schedule)).toEqual([['m5.24xlarge']]);
  });

  test('is refused for pods that would cost less on nodes of their own', () => {
    const pods = pendingPods(3, { requests: { cpu: '1' } });
    expect(refusalsOf(placed(pods, poolOf(ONLY_LARGE)))).toEqual(pods.map(() => ['PriceTooHigh']));
  });

  test('is launched for a pod that insists on the type', () => {
    const pool = poolOf(ONLY_LARGE);
    const insists = pendingPod({ requests: { cpu: '1' }, spec: { nodeSelector: { [TYPE]: 'm5.24xlarge' } } });
    expect(typesOf(placed([insists], pool))).toEqual([['m5.24xlarge']]);
  });

  test('is refused for a pod that only prefers the type', () => {
    const preference = { matchExpressions: [asking(TYPE, 'In', 'm5.24xlarge')] };
    const preferred = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] };
    const prefers = pendingPod({ requests: { cpu: '1' }, spec: { affinity: { nodeAffinity: preferred } } });
    expect(refusalsOf(placed([prefers], poolOf(ONLY_LARGE)))).toEqual([['PriceTooHigh']]);
  });

  test('is compared with the zone on which the pod insists, not with another', () => {
    const zonal = {
      'm5.large': {
        cpu: 2,
        price: 0.1,
        offerings: [
          { ...anOffering(A, 'on-demand', 0.1), available: false, shortage: 'missing' as const },
          { ...anOffering(B, 'on-demand', 0.01), available: false, shortage: 'missing' as const },
        ],
      },
      'm5.xlarge': { cpu: 4, price: 0.2 },
    };
    const insists = pendingPod({ requests: { cpu: '1' }, spec: { nodeSelector: { [ZONE]: A } } });
    expect(typesOf(placed([insists], poolOf(zonal)))).toEqual([['m5.xlarge']]);
    expect(refusalsOf(placed([pod], poolOf(zonal)))).toEqual([['PriceTooHigh']]);
  });

  test('does not keep the pod from a NodePool of lower weight', () => {
    const light = aPoolView({ name: 'light', types: [anInstanceType({ capacityTypes: ['on-demand'] })] });
    const schedule = placed([pod], { ...poolOf(ONLY_LARGE) }, light);
    expect(schedule.newClaims.map(({ template }) => template.nodePool.metadata.name)).toEqual(['light']);
  });

  describe('leaves offerings that are doubted (C35)', () => {
    const DOUBTED = { shortage: 'doubted' } as const;
    const spotAt = (spot: number, zone: string = A) => ({ ...anOffering(zone, 'spot', spot / 0.4), ...DOUBTED });
    const small = (spot: number) => ({ cpu: 2, price: 1, offerings: [anOffering(A, 'on-demand', 1), spotAt(spot)] });

    test.each([
      [0.4, ['on-demand']],
      [0.3, ['spot']],
    ])('if it refuses all others: spot at $%s an hour beside on-demand capacity at 1: %j', (spot, expected) => {
      const schedule = placed([pod], poolOf({ 'm5.large': small(spot) }));
      expect(capacityTypesOf(schedule)).toEqual(expected);
      const [claim] = schedule.newClaims;
      const options = claim === undefined ? [] : launchOptions(claim.instanceTypes, claim.requirements, claim);
      expect(options.map(({ capacityType }) => capacityType)).toEqual(expected);
    });

    test('also if the cheapest type is missing, and those of a larger group of pods', () => {
      const missing = {
        cpu: 2,
        price: 0.1,
        offerings: [{ ...spotAt(0.1), available: false, shortage: 'missing' as const }],
      };
      const pool = poolOf({
        'c5.large': missing,
        'm5.large': { ...small(0.2), offerings: [anOffering(A, 'on-demand', 0.5), spotAt(0.2)] },
      });
      const schedule = placed(pendingPods(6, { requests: { cpu: '1' } }), pool);
      expect(new Set(capacityTypesOf(schedule))).toEqual(new Set(['spot']));
      expect(schedule.unplaced).toEqual([]);
    });

    test('of every doubted zone, so that the launch may use any', () => {
      const type = { cpu: 2, price: 1, offerings: [anOffering(A, 'on-demand', 1), spotAt(0.1), spotAt(0.1, B)] };
      const [claim] = placed([pod], poolOf({ 'm5.large': type })).newClaims;
      const options = claim === undefined ? [] : launchOptions(claim.instanceTypes, claim.requirements, claim);
      expect(options.map(({ zone }) => zone)).toEqual([A, B]);
    });

    test('and the launch uses none that costs more than the guard allows with the offerings that are not doubted', () => {
      const missing = { ...anOffering(B, 'spot', 0.15), available: false, shortage: 'missing' as const };
      const pool = poolOf({
        'm5.large': { cpu: 2, price: 1, offerings: [missing, anOffering(A, 'on-demand', 1), spotAt(0.15)] },
        'm5.xlarge': { cpu: 4, price: 2, offerings: [anOffering(A, 'on-demand', 2), spotAt(0.3)] },
      });
      expect(pricesOf(placed([pod], pool))).toEqual([expect.closeTo(0.15)]);
    });

    test('but not those that cost too much themselves', () => {
      const missing = { cpu: 2, price: 0.1, missing: true };
      expect(refusalsOf(placed([pod], poolOf({ 'c5.large': missing, 'm5.large': small(0.5) })))).toEqual([
        ['PriceTooHigh'],
      ]);
    });
  });

  test('is launched if no capacity is missing: only missing capacity is guarded', () => {
    const only = { 'm5.24xlarge': { cpu: 96, price: 4.8 } };
    expect(typesOf(placed([pod], poolOf(only)))).toEqual([['m5.24xlarge']]);
  });
});

function pricesOf({ newClaims }: Schedule): readonly number[] {
  return newClaims.flatMap((claim) =>
    launchOptions(claim.instanceTypes, claim.requirements, claim).map(({ priceUsdPerHour }) => priceUsdPerHour),
  );
}

describe('the options of a launch are within the same limits', () => {
  test('except beside a type that costs nothing', () => {
    const free = { 'm5.large': { cpu: 2, price: 0 }, 'm5.xlarge': { cpu: 4, price: 0.2 } };
    expect(pricesOf(placed([pod], poolOf(free)))).toEqual([0, 0.2]);
  });

  const sold = {
    'm5.large': { cpu: 2, price: 0.1 },
    'm5.xlarge': { cpu: 4, price: 0.16 },
    'm5.2xlarge': { cpu: 8, price: 0.3 },
    'm5.4xlarge': { cpu: 16, price: 0.6 },
  };

  test('none costs more than 3 times the cheapest, so no refused launch leads to one', () => {
    expect(pricesOf(placed([pod], poolOf(sold)))).toEqual([0.1, 0.16, 0.3]);
    expect(pricesOf(placed([pod], poolOf(sold, { [FACTOR]: 'Off' })))).toEqual([0.1, 0.16, 0.3, 0.6]);
  });

  test('for a pod with a preference, none costs more than 1.5 times the cheapest without it', () => {
    const preference = { matchExpressions: [asking(ZONE, 'In', A)] };
    const preferred = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] };
    const prefers = pendingPod({ requests: { cpu: '1' }, spec: { affinity: { nodeAffinity: preferred } } });
    expect(pricesOf(placed([prefers], poolOf(sold)))).toEqual([0.1]);
  });

  test('from spot to on-demand too', () => {
    const type = { cpu: 2, price: 0.1, offerings: [anOffering(A, 'on-demand', 0.1), anOffering(A, 'spot', 0.1)] };
    const prices = (factor: string) => pricesOf(placed([pod], poolOf({ 'm5.large': type }, { [FACTOR]: factor })));
    expect(prices('3')).toEqual([0.04, 0.1].map((price) => expect.closeTo(price)));
    expect(prices('2')).toEqual([expect.closeTo(0.04)]);
  });
});
