import { describe, expect, test } from 'vitest';
import type { NodeSelectorRequirement } from '../../../../lib/apis/kubernetes.ts';
import type { NodeOverlay } from '../../../../lib/apis/node-overlay.ts';
import { applyOverlays } from '../../../../lib/core/instance-type/overlays/overlays.ts';
import type { NodePoolView } from '../../../../lib/core/model/cluster-snapshot.ts';
import type { InstanceType, Offering } from '../../../../lib/core/model/instance-type.ts';
import { anInstanceType, anOffering, ZONES } from '../../../builders/instance-types.ts';
import { anOverlay } from '../../../builders/node-overlays.ts';
import { aPoolView, asking } from '../../../builders/node-pools.ts';

const [ZONE_A, ZONE_B] = ZONES;
const GPU = 'example.com/gpu';
const GIB = 2 ** 30;

const onDemand = (offering: Offering): boolean => offering.capacityType === 'on-demand';

function typeIn(views: readonly NodePoolView[], name: string, pool = 0): InstanceType | undefined {
  return views[pool]?.instanceTypes.find((type) => type.name === name);
}

function inZone(zone: string): readonly NodeSelectorRequirement[] {
  return [asking('topology.kubernetes.io/zone', 'In', zone)];
}

/** The prices of m5.large, on demand, by zone. */
function pricesOf(views: readonly NodePoolView[], pool = 0): readonly number[] {
  return (typeIn(views, 'm5.large', pool)?.offerings ?? []).filter(onDemand).map((one) => one.priceUsdPerHour);
}

/** Of one m5.large that costs so much on demand in one zone. */
function priceAfter(base: number, spec: Partial<NodeOverlay['spec']>): number | undefined {
  const type = anInstanceType({ offerings: [anOffering(ZONE_A, 'on-demand', base)] });
  return pricesOf(applyOverlays([aPoolView({ types: [type] })], [anOverlay(spec)]).views)[0];
}

describe('price', () => {
  test.each<[number, Partial<NodeOverlay['spec']>, number]>([
    [0.096, { price: '0.25' }, 0.25],
    [0.096, { price: '0' }, 0],
    [0.096, { priceAdjustment: '+0' }, 0.096],
    [0.1, { priceAdjustment: '+0.2' }, 0.3],
    [0.096, { priceAdjustment: '-.05' }, 0.046],
    [0.096, { priceAdjustment: '-0.1' }, 0],
    [0.096, { priceAdjustment: '+10%' }, 0.1056],
    [0.07, { priceAdjustment: '+10%' }, 0.077],
    [1.1, { priceAdjustment: '+.5%' }, 1.1055],
    [0.096, { priceAdjustment: '-12.5%' }, 0.084],
    [0.096, { priceAdjustment: '-100%' }, 0],
    [0.0000001, { priceAdjustment: '+100%' }, 0.0000002],
    [1e21, { priceAdjustment: '+1' }, 1e21],
  ])('%d with %j is %d to the last decimal digit (A4.9)', (base, spec, price) => {
    expect(priceAfter(base, spec)).toBe(price);
  });

  test('an offering with an overlaid price says so, and the others do not (A4.10)', () => {
    const overlay = anOverlay({ requirements: [asking('karpenter.sh/capacity-type', 'In', 'spot')], price: '0.01' });
    const offerings = typeIn(applyOverlays([aPoolView()], [overlay]).views, 'm5.large')?.offerings ?? [];
    expect(offerings).toHaveLength(6);
    expect(offerings.map((one) => one.priceOverlaid)).toEqual([undefined, true, undefined, true, undefined, true]);
  });
});

describe('which instance types and offerings are meant', () => {
  const M5_LARGE_AND_UP = ['m5.large', 'm5.xlarge', 'm5.2xlarge'];

  test.each<[string, NodeSelectorRequirement, readonly string[]]>([
    ['a label of the type', asking('node.kubernetes.io/instance-type', 'In', 'm5.large'), ['m5.large']],
    ['a number', asking('karpenter.k8s.aws/instance-cpu', 'Gt', '2'), ['m5.xlarge', 'm5.2xlarge']],
    ['another name of old', asking('beta.kubernetes.io/instance-type', 'In', 'm5.large'), ['m5.large']],
    ['the pool itself', asking('karpenter.sh/nodepool', 'In', 'general'), M5_LARGE_AND_UP],
    ['another pool', asking('karpenter.sh/nodepool', 'In', 'other'), []],
    ['a label of the template', asking('team', 'In', 'web'), M5_LARGE_AND_UP],
    ['a requirement of the pool, which is not a label', asking('tier', 'In', 'gold'), []],
    ['a label that nothing has', asking('example.com/unknown', 'Exists'), []],
    ['the absence of such a label', asking('example.com/unknown', 'NotIn', 'x'), M5_LARGE_AND_UP],
    ['a well-known label that nothing has', asking('node.kubernetes.io/windows-build', 'Exists'), []],
    ['a label that the type is known not to have', asking('karpenter.k8s.aws/instance-gpu-count', 'Gt', '0'), []],
    ['its absence', asking('karpenter.k8s.aws/instance-gpu-count', 'DoesNotExist'), M5_LARGE_AND_UP],
    ['a zone where none is sold', asking('topology.kubernetes.io/zone', 'In', 'eu-west-3z'), []],
  ])('%s (A4.6)', (_, requirement, names) => {
    const view = aPoolView({ labels: { team: 'web' }, requirements: [asking('tier', 'In', 'gold')] });
    const { views } = applyOverlays([view], [anOverlay({ requirements: [requirement], price: '1' })]);
    const changed = views.flatMap((one) => one.instanceTypes).filter((type) => !view.instanceTypes.includes(type));
    expect(changed.map((type) => type.name)).toEqual(names);
  });

  test('a requirement for a zone or capacity type picks offerings (A4.6)', () => {
    const { views } = applyOverlays([aPoolView()], [anOverlay({ requirements: inZone(ZONE_B), price: '1' })]);
    expect(pricesOf(views)).toEqual([0.1, 1, 0.1]);
  });

  test('a requirement for a zone id does too (A4.6)', () => {
    const requirements = [asking('topology.k8s.aws/zone-id', 'In', 'euw3-az3')];
    const { views } = applyOverlays([aPoolView()], [anOverlay({ requirements, price: '1' })]);
    expect(pricesOf(views)).toEqual([0.1, 0.1, 1]);
  });

  test('where the pool and the type both have a label, both count (A4.6)', () => {
    const view = aPoolView({ labels: { 'topology.kubernetes.io/zone': ZONE_A } });
    const overlays = [ZONE_A, ZONE_B].map((zone) => anOverlay({ requirements: inZone(zone), price: '1' }, zone));
    expect(pricesOf(applyOverlays([view], overlays).views)).toEqual([1, 0.1, 0.1]);
    const elsewhere = aPoolView({ labels: { 'kubernetes.io/arch': 'arm64' } });
    const onAmd = anOverlay({ requirements: [asking('kubernetes.io/arch', 'In', 'amd64')], price: '1' });
    expect(applyOverlays([elsewhere], [onAmd]).views[0]).toBe(elsewhere);
  });

  test('requirements that contradict each other mean nothing (A4.6)', () => {
    const cpu = 'karpenter.k8s.aws/instance-cpu';
    const view = aPoolView();
    const overlay = anOverlay({ requirements: [asking(cpu, 'Gt', '4'), asking(cpu, 'Lt', '4')], price: '1' });
    expect(applyOverlays([view], [overlay]).views[0]).toBe(view);
  });

  test('an offering without capacity just now gets its price too, for nodes that run there (A4.6)', () => {
    const offerings = [anOffering(ZONE_A, 'on-demand'), { ...anOffering(ZONE_B, 'on-demand'), available: false }];
    const view = aPoolView({ types: [anInstanceType({ offerings })] });
    expect(pricesOf(applyOverlays([view], [anOverlay({ price: '1' })]).views)).toEqual([1, 1]);
  });

  test('capacity is of the whole type where one of its offerings is meant (A4.6)', () => {
    const requirements = [asking('karpenter.sh/capacity-type', 'In', 'spot')];
    const view = aPoolView({
      types: [anInstanceType(), anInstanceType({ name: 'm5.xlarge', capacityTypes: ['on-demand'] })],
    });
    const { views } = applyOverlays([view], [anOverlay({ requirements, capacity: { [GPU]: 2 } })]);
    expect(typeIn(views, 'm5.large')?.allocatable[GPU]).toBe(2);
    expect(typeIn(views, 'm5.xlarge')).toBe(typeIn([view], 'm5.xlarge'));
  });
});

describe('what stays is the same object', () => {
  test('without overlays every view (B13)', () => {
    const view = aPoolView();
    expect(applyOverlays([view], []).views[0]).toBe(view);
  });

  test('a pool that no overlay means, and one whose overlay says nothing (B13)', () => {
    const view = aPoolView();
    const elsewhere = anOverlay({ requirements: [asking('karpenter.sh/nodepool', 'In', 'other')], price: '1' });
    const { views, conflicts } = applyOverlays([view], [elsewhere, anOverlay({ capacity: {} }, 'b')]);
    expect(views[0]).toBe(view);
    expect(conflicts).toEqual([]);
  });

  test('types and offerings that are not meant (B13)', () => {
    const view = aPoolView();
    const requirements = [
      asking('node.kubernetes.io/instance-type', 'In', 'm5.large'),
      asking('karpenter.sh/capacity-type', 'In', 'spot'),
    ];
    const { views } = applyOverlays([view], [anOverlay({ requirements, price: '1' })]);
    expect(typeIn(views, 'm5.xlarge')).toBe(typeIn([view], 'm5.xlarge'));
    expect(typeIn(views, 'm5.large')).not.toBe(typeIn([view], 'm5.large'));
    expect(typeIn(views, 'm5.large')?.offerings.find(onDemand)).toBe(
      typeIn([view], 'm5.large')?.offerings.find(onDemand),
    );
    expect(typeIn(views, 'm5.large')?.capacityOverlaid).toBeUndefined();
  });
});

describe('capacity', () => {
  test('is added to what there is, for pods in whole, and marked; prices stay (A4.4, A4.10)', () => {
    const view = aPoolView();
    const { views } = applyOverlays([view], [anOverlay({ capacity: { [GPU]: '4' } })]);
    const type = typeIn(views, 'm5.large');
    expect(type?.capacity).toEqual({ cpu: 2_000, memory: 8 * GIB, pods: 29, [GPU]: 4 });
    expect(type?.allocatable).toEqual(type?.capacity);
    expect(type?.capacityOverlaid).toBe(true);
    expect(type?.offerings).toBe(typeIn([view], 'm5.large')?.offerings);
  });

  test('replaces an amount that the type has already (A4.7)', () => {
    const view = aPoolView({ types: [anInstanceType({ extended: { 'nvidia.com/gpu': 1 } })] });
    const { views } = applyOverlays([view], [anOverlay({ capacity: { 'nvidia.com/gpu': 8 } })]);
    expect(typeIn(views, 'm5.large')?.allocatable['nvidia.com/gpu']).toBe(8);
  });

  test('of huge pages is taken from the memory that pods get (A4.4)', () => {
    const memoryWith = (amount: string): number | undefined =>
      typeIn(applyOverlays([aPoolView()], [anOverlay({ capacity: { 'hugepages-2Mi': amount } })]).views, 'm5.large')
        ?.allocatable['memory'];
    expect(memoryWith('1Gi')).toBe(7 * GIB);
    expect(memoryWith('9Gi')).toBe(0);
  });

  test('of huge pages, where the type has some, takes the difference only (A4.4)', () => {
    const view = aPoolView({ types: [anInstanceType({ extended: { 'hugepages-2Mi': GIB } })] });
    const { views } = applyOverlays([view], [anOverlay({ capacity: { 'hugepages-2Mi': '3Gi' } })]);
    expect(typeIn(views, 'm5.large')?.allocatable['memory']).toBe(6 * GIB);
  });
});

describe('precedence', () => {
  const heavy = anOverlay({ price: '5', weight: 10 }, 'heavy');
  const light = anOverlay({ price: '1' }, 'light');

  test.each([[[heavy, light]], [[light, heavy]]])(
    'the heaviest overlay sets a price, in any order (A4.7)',
    (overlays) => {
      const { views, conflicts } = applyOverlays([aPoolView()], overlays);
      expect(pricesOf(views)).toEqual([5, 5, 5]);
      expect(conflicts).toEqual([]);
    },
  );

  test('an adjustment adjusts what EC2 asks for, not what a lighter overlay says (A4.7)', () => {
    const adjusting = anOverlay({ priceAdjustment: '+100%', weight: 10 }, 'adjusting');
    expect(pricesOf(applyOverlays([aPoolView()], [light, adjusting]).views)).toEqual([0.2, 0.2, 0.2]);
  });

  test('capacity merges by resource, the heaviest first (A4.7)', () => {
    const { views } = applyOverlays(
      [aPoolView()],
      [
        anOverlay({ capacity: { [GPU]: 1, 'example.com/fpga': 1 } }, 'light'),
        anOverlay({ capacity: { [GPU]: 2 }, weight: 2 }, 'heavy'),
      ],
    );
    expect(typeIn(views, 'm5.large')?.capacity).toMatchObject({ [GPU]: 2, 'example.com/fpga': 1 });
  });
});

describe('conflicts', () => {
  test('of two overlays of one weight on one price the later name wins, and the other is left out (A4.8)', () => {
    const { views, conflicts } = applyOverlays(
      [aPoolView()],
      [anOverlay({ price: '1' }, 'a'), anOverlay({ price: '2' }, 'b')],
    );
    expect(pricesOf(views)).toEqual([2, 2, 2]);
    expect(conflicts).toEqual([
      {
        overlay: 'a',
        reason: 'Conflict',
        message:
          '"b" also has weight 0, and both set the on-demand price in eu-west-3a of m5.large in NodePool general: change the weight of one of them',
      },
    ]);
  });

  test('an overlay that conflicts in one pool is left out of all, its capacity too (A4.8)', () => {
    const pools = [aPoolView({ name: 'web' }), aPoolView({ name: 'batch' })];
    const onBatch = [asking('karpenter.sh/nodepool', 'In', 'batch')];
    const { views, conflicts } = applyOverlays(pools, [
      anOverlay({ price: '1', capacity: { [GPU]: 1 } }, 'a'),
      anOverlay({ requirements: onBatch, price: '2' }, 'b'),
    ]);
    expect(views[0]).toBe(pools[0]);
    expect(pricesOf(views, 1)).toEqual([2, 2, 2]);
    expect(typeIn(views, 'm5.large', 1)?.capacityOverlaid).toBeUndefined();
    expect(conflicts.map(({ overlay }) => overlay)).toEqual(['a']);
  });

  test('two that touch one price with a weight between them do not conflict, two of the lower weight do (A4.8)', () => {
    const { conflicts } = applyOverlays(
      [aPoolView()],
      [
        anOverlay({ price: '1', weight: 2 }, 'a'),
        anOverlay({ price: '2', weight: 1 }, 'b'),
        anOverlay({ price: '3', weight: 1 }, 'c'),
      ],
    );
    expect(conflicts.map(({ overlay, reason }) => [overlay, reason])).toEqual([['b', 'Conflict']]);
  });

  test('one resource conflicts, with others between them too (A4.8)', () => {
    const { conflicts } = applyOverlays(
      [aPoolView()],
      [
        anOverlay({ capacity: { [GPU]: 1 } }, 'c'),
        anOverlay({ capacity: { 'example.com/fpga': 1 } }, 'b'),
        anOverlay({ capacity: { [GPU]: 2 } }, 'a'),
      ],
    );
    expect(conflicts).toEqual([
      {
        overlay: 'a',
        reason: 'Conflict',
        message: `"c" also has weight 0, and both set the capacity ${GPU} of m5.large in NodePool general: change the weight of one of them`,
      },
    ]);
  });

  test.each([
    ['a price and a capacity', anOverlay({ capacity: { [GPU]: 1 } }, 'b')],
    [
      'prices of other offerings',
      anOverlay({ requirements: [asking('karpenter.sh/capacity-type', 'In', 'on-demand')], price: '2' }, 'b'),
    ],
  ])('%s do not conflict (A4.8)', (_, other) => {
    const requirements = [asking('karpenter.sh/capacity-type', 'In', 'spot')];
    expect(applyOverlays([aPoolView()], [anOverlay({ requirements, price: '1' }), other]).conflicts).toEqual([]);
  });

  test('what a left-out overlay touched conflicts with nothing (A4.8)', () => {
    const { conflicts } = applyOverlays(
      [aPoolView()],
      [
        anOverlay({ requirements: inZone(ZONE_A), price: '3' }, 'c'),
        anOverlay({ price: '2' }, 'b'),
        anOverlay({ requirements: inZone(ZONE_B), price: '1' }, 'a'),
      ],
    );
    expect(conflicts.map(({ overlay }) => overlay)).toEqual(['b']);
  });
});

describe('overlays that Karpenter refuses', () => {
  test.each<[string, Partial<NodeOverlay['spec']>, string]>([
    [
      'a resource of EC2',
      { capacity: { 'habana.ai/gaudi': 1 } },
      'spec.capacity.habana.ai/gaudi is defined by EC2 and cannot be changed: write extended resources that the instance type does not have, such as example.com/licence',
    ],
    [
      'a price that no number holds',
      { price: '9'.repeat(400) },
      `spec.price "${'9'.repeat(76)}... is too long: write at most 40 characters`,
    ],
  ])('%s: it has no effect, and hinders no other (A4.1)', (_, spec, message) => {
    const { views, conflicts } = applyOverlays(
      [aPoolView()],
      [anOverlay({ weight: 10, ...spec }, 'bad'), anOverlay({ price: '1' }, 'good')],
    );
    expect(pricesOf(views)).toEqual([1, 1, 1]);
    expect(conflicts).toEqual([{ overlay: 'bad', reason: 'RuntimeValidation', message }]);
  });
});
