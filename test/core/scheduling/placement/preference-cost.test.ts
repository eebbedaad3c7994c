import { describe, expect, test } from 'vitest';
import type { Affinity, Pod } from '../../../../lib/apis/kubernetes.ts';
import type { ClusterSnapshot } from '../../../../lib/core/model/cluster-snapshot.ts';
import type { InstanceType, Offering } from '../../../../lib/core/model/instance-type.ts';
import { anInstanceType, anOffering } from '../../../builders/instance-types.ts';
import { aPoolView, asking } from '../../../builders/node-pools.ts';
import { pendingPod, pendingPods, spread } from '../../../builders/pods.ts';
import { place, typesOf, valuesOf } from '../problems.ts';

const ZONE = 'topology.kubernetes.io/zone';
const TYPE = 'node.kubernetes.io/instance-type';
const [A, B] = ['eu-west-3a', 'eu-west-3b'] as const;
const labels = { app: 'web' };
const requests = { cpu: '1' };

type Change = (offering: Offering, type: string) => Partial<Offering>;

/** Types that cost $0.1 for the small one, $0.2 for the medium one, and so on; the change says what is missing. */
function poolWith(change: Change, prices: Readonly<Record<string, number>> = { 'm5.large': 0.1, 'm5.xlarge': 0.2 }) {
  const instanceTypes = Object.entries(prices).map(([name, price]): InstanceType => {
    const type = anInstanceType({ name, cpu: price * 20, price, zones: [A, B], capacityTypes: ['on-demand'] });
    return { ...type, offerings: type.offerings.map((one) => ({ ...one, ...change(one, name) })) };
  });
  return aPoolView({ types: instanceTypes });
}

const MISSING = { available: false, shortage: 'missing' } as const;
const DOUBTED = { shortage: 'doubted' } as const;
const NOTHING: Change = () => ({});

function inA(kind: 'preferred' | 'required'): Affinity {
  const preference = { matchExpressions: [asking(ZONE, 'In', A)] };
  return {
    nodeAffinity:
      kind === 'preferred'
        ? { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference }] }
        : { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [preference] } },
  };
}

const prefersA = pendingPod({ labels, requests, spec: { affinity: inA('preferred') } });
const needsA = pendingPod({ labels, requests, spec: { affinity: inA('required') } });

function zonesOf(pod: Pod, change: Change, over: Partial<ClusterSnapshot> = {}): readonly string[] {
  const schedule = place([pod], { nodePools: [poolWith(change)], ...over });
  return valuesOf(schedule, ZONE).flat();
}

describe('a preference costs at most 1.5 times the node without it while capacity is missing (B30)', () => {
  const smallGoneFromA: Change = ({ zone }, type) => (zone === A && type === 'm5.large' ? MISSING : {});

  test('it is relaxed if missing capacity makes it cost twice as much', () => {
    expect(zonesOf(prefersA, smallGoneFromA)).not.toEqual([A]);
  });

  test('it is kept if it costs less than the factor', () => {
    const nodePools = [poolWith(smallGoneFromA, { 'm5.large': 0.1, 'c5.xlarge': 0.14 })];
    expect(zonesOf(prefersA, NOTHING, { nodePools })).toEqual([A]);
  });

  test('it is relaxed if it leaves only other sizes of a refused family: they are on the same hardware', () => {
    const nodePools = [poolWith(smallGoneFromA, { 'm5.large': 0.1, 'm5.xlarge': 0.14 })];
    expect(zonesOf(prefersA, NOTHING, { nodePools })).not.toEqual([A]);
  });

  test('the factor is a setting', () => {
    const dear = [poolWith(smallGoneFromA, { 'm5.large': 0.1, 'c5.xlarge': 0.2 })];
    expect(zonesOf(prefersA, NOTHING, { nodePools: dear, options: { preferencePriceFactor: 2 } })).toEqual([A]);
    const nodePools = [poolWith(smallGoneFromA, { 'm5.large': 0.1, 'c5.xlarge': 0.14 })];
    expect(zonesOf(prefersA, NOTHING, { nodePools, options: { preferencePriceFactor: 1 } })).not.toEqual([A]);
  });

  test('a requirement is kept at the price of the last type', () => {
    expect(zonesOf(needsA, smallGoneFromA)).toEqual([A]);
  });

  test('a preference that is expensive by nature is kept, because missing capacity does not change its price', () => {
    const preference = { matchExpressions: [asking(TYPE, 'In', 'm5.xlarge')] };
    const preferred = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] };
    const pod = pendingPod({ requests, spec: { affinity: { nodeAffinity: preferred } } });
    const elsewhere: Change = ({ zone }, type) => (zone === B && type === 'm5.large' ? MISSING : {});
    expect(typesOf(place([pod], { nodePools: [poolWith(elsewhere)] }))).toEqual([['m5.xlarge']]);
  });

  test('a soft spread over zones leaves out a zone that is too expensive; a hard one does not', () => {
    const zonesWith = (whenUnsatisfiable: 'ScheduleAnyway' | 'DoNotSchedule'): readonly string[] => {
      const spec = { topologySpreadConstraints: [spread({ topologyKey: ZONE, whenUnsatisfiable })] };
      const pods = ['a', 'b'].map((name) => pendingPod({ name, labels, requests, spec }));
      const { newClaims } = place(pods, { nodePools: [poolWith(smallGoneFromA)] });
      return newClaims.flatMap(({ cheapest }) => cheapest.offering.zone).toSorted();
    };
    expect(new Set(zonesWith('ScheduleAnyway'))).toEqual(new Set([B]));
    expect(zonesWith('DoNotSchedule')).toEqual([A, B]);
  });

  describe('all waiting pods of a class are counted: on small nodes a single pod costs the same', () => {
    const largeGoneFromA: Change = ({ zone }, type) => (zone === A && type !== 't3.small' ? MISSING : {});
    const nodePools = [poolWith(largeGoneFromA, { 't3.small': 0.1, 'm5.4xlarge': 0.8 })];
    // The small node has room for one of these pods, the large one for 14.
    const podsOf = (count: number, over: Parameters<typeof pendingPod>[0] = {}): readonly Pod[] =>
      Array.from({ length: count }, (_, at) =>
        pendingPod({
          name: `web-${at}`,
          labels,
          requests: { cpu: '1100m' },
          spec: { affinity: inA('preferred') },
          ...over,
        }),
      );

    test('120 pods leave a zone that has only small types', () => {
      const { newClaims } = place(podsOf(120), { nodePools });
      const priceUsdPerHour = newClaims.reduce((sum, { cheapest }) => sum + cheapest.offering.priceUsdPerHour, 0);
      expect(priceUsdPerHour).toBeCloseTo(9 * 0.8);
    });

    test('one pod stays', () => {
      expect(valuesOf(place(podsOf(1), { nodePools }), ZONE)).toEqual([[A]]);
    });

    test('pods that need a host each stay', () => {
      const antiAffinity = [{ topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: labels } }];
      const affinity = {
        ...inA('preferred'),
        podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: antiAffinity },
      };
      const { newClaims } = place(podsOf(20, { spec: { affinity } }), { nodePools });
      expect(newClaims.map(({ cheapest }) => cheapest.offering.zone)).toEqual(Array.from({ length: 20 }, () => A));
    });
  });

  test('the fallback from spot to on-demand in a preferred zone counts as well', () => {
    const spotGoneFromA: Change = ({ zone, capacityType }) => (zone === A && capacityType === 'spot' ? MISSING : {});
    const type = anInstanceType({ zones: [A, B] });
    const both = { ...type, offerings: type.offerings.map((one) => ({ ...one, ...spotGoneFromA(one, type.name) })) };
    const schedule = place([prefersA], { nodePools: [aPoolView({ types: [both] })] });
    expect(valuesOf(schedule, ZONE)).not.toEqual([[A]]);
    expect(schedule.newClaims.map(({ cheapest }) => cheapest.offering.capacityType)).toEqual(['spot']);
  });
});

describe('reserved capacity counts on neither side: a reservation has few instances, at next to no price (C30)', () => {
  const reservation = { id: 'cr-1', instances: 1, kind: 'default' as const };
  const reserved: Offering = { ...anOffering(B, 'reserved', 1e-8), reservation };

  const goneFromA = [{ ...anOffering(A, 'on-demand'), ...MISSING }, anOffering(B, 'on-demand')];
  const types = [
    anInstanceType({ name: 'm5.large', offerings: [...goneFromA, reserved] }),
    anInstanceType({ name: 'c5.large', offerings: [A, B].map((zone) => anOffering(zone, 'on-demand', 0.101)) }),
  ];
  const zonesFor = (spec: Partial<Pod['spec']>): readonly string[] => {
    const pods = pendingPods(20, { labels, requests: { cpu: '2' }, spec });
    return place(pods, { nodePools: [aPoolView({ types })] }).newClaims.map(({ cheapest }) => cheapest.offering.zone);
  };

  test('a preferred zone is kept by all pods', () => {
    expect(zonesFor({ affinity: inA('preferred') })).toEqual(Array.from({ length: 20 }, () => A));
  });

  test('a spread is kept', () => {
    expect(new Set(zonesFor({ topologySpreadConstraints: [spread({ whenUnsatisfiable: 'ScheduleAnyway' })] }))).toEqual(
      new Set([A, B]),
    );
  });
});

describe('a zone that refused across families (C35)', () => {
  const doubtsA: Change = ({ zone }) => (zone === A ? DOUBTED : {});

  test('does not get a pod that only prefers it', () => {
    expect(zonesOf(prefersA, doubtsA)).not.toEqual([A]);
  });

  test('gets a pod that insists on it', () => {
    expect(zonesOf(needsA, doubtsA)).toEqual([A]);
  });

  test('is not the target of a pod without preferences, even if it is the cheapest', () => {
    const cheapest: Change = (one) => (one.zone === A ? { ...DOUBTED, priceUsdPerHour: 0.05 } : {});
    const { newClaims } = place([pendingPod({ requests })], { nodePools: [poolWith(cheapest)] });
    expect(newClaims.map(({ cheapest: { offering } }) => offering.zone)).toEqual([B]);
  });

  test('is used for other preferences, if every zone refused', () => {
    const preference = { matchExpressions: [asking(TYPE, 'In', 'm5.xlarge')] };
    const preferred = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] };
    const pod = pendingPod({ requests, spec: { affinity: { nodeAffinity: preferred } } });
    const options = { preferencePriceFactor: 3 };
    expect(typesOf(place([pod], { nodePools: [poolWith(() => DOUBTED)], options }))).toEqual([['m5.xlarge']]);
  });

  test('spot that refused in every zone is left for on-demand', () => {
    const type = anInstanceType({ zones: [A, B] });
    const noSpot = {
      ...type,
      offerings: type.offerings.map((one) => (one.capacityType === 'spot' ? { ...one, ...DOUBTED } : one)),
    };
    const schedule = place([pendingPod({ requests })], { nodePools: [aPoolView({ types: [noSpot] })] });
    expect(schedule.newClaims.map(({ cheapest }) => cheapest.offering.capacityType)).toEqual(['on-demand']);
  });
});
