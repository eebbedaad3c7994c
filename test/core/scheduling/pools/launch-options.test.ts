import { describe, expect, test } from 'vitest';
import { requirementsFrom } from '../../../../lib/core/requirements/requirements.ts';
import { launchOptions } from '../../../../lib/core/scheduling/pools/launch-options.ts';
import { anInstanceType, anOffering } from '../../../builders/instance-types.ts';
import { asking } from '../../../builders/node-pools.ts';

const FAMILY = 'karpenter.k8s.aws/instance-family';
const ANY = requirementsFrom([]);
const ON_DEMAND = requirementsFrom([asking('karpenter.sh/capacity-type', 'In', 'on-demand')]);
const gpu = anInstanceType({
  name: 'g5.xlarge',
  price: 0.01,
  values: { 'karpenter.k8s.aws/instance-gpu-count': ['1'] },
});
const metal = anInstanceType({ name: 'm5.metal', price: 0.01 });
const neuron = anInstanceType({
  name: 'inf2.xlarge',
  price: 0.01,
  values: { 'karpenter.k8s.aws/instance-accelerator-count': ['1'] },
});
const plain = anInstanceType({ name: 'm5.large', price: 0.1, zones: ['eu-west-3a'] });

function names(options: ReturnType<typeof launchOptions>): readonly string[] {
  return [...new Set(options.map((option) => option.instanceType))];
}

describe('the launch options of a claim', () => {
  test('are in the order of price; ties by type, zone and capacity type', () => {
    const types = [anInstanceType({ name: 'b.large', price: 0.1 }), anInstanceType({ name: 'a.large', price: 0.1 })];
    const options = launchOptions(types, ANY, { template: { minValues: [] } });
    expect(options.map((one) => `${one.capacityType} ${one.instanceType} ${one.zone}`).slice(0, 4)).toEqual([
      'spot a.large eu-west-3a',
      'spot a.large eu-west-3b',
      'spot a.large eu-west-3c',
      'spot b.large eu-west-3a',
    ]);
    expect(options).toHaveLength(12);
  });

  test('are the available offerings that match the requirements on zone and capacity type', () => {
    const sold = anOffering('eu-west-3a', 'on-demand');
    const type = anInstanceType({
      offerings: [sold, { ...sold, zone: 'eu-west-3b', available: false }, anOffering('eu-west-3c', 'spot')],
    });
    expect(launchOptions([type], ON_DEMAND, { template: { minValues: [] } })).toEqual([
      { instanceType: 'm5.large', zone: 'eu-west-3a', capacityType: 'on-demand', priceUsdPerHour: 0.1 },
    ]);
  });

  test('are in the required zone if the zone id is required', () => {
    const wanted = requirementsFrom([asking('topology.k8s.aws/zone-id', 'In', 'euw3-az2')]);
    const options = launchOptions([anInstanceType()], wanted, { template: { minValues: [] } });
    expect(new Set(options.map((one) => one.zone))).toEqual(new Set(['eu-west-3b']));
  });

  test('exclude metal and accelerators while other types remain (C39)', () => {
    expect(names(launchOptions([gpu, metal, neuron, plain], ANY, { template: { minValues: [] } }))).toEqual([
      'm5.large',
    ]);
  });

  test('include metal and accelerators if no other types remain (C39)', () => {
    expect(names(launchOptions([gpu, metal, neuron], ANY, { template: { minValues: [] } }))).toHaveLength(3);
  });

  test('exclude spot that costs more than the cheapest on-demand offering (C40)', () => {
    const types = [
      anInstanceType({ name: 'cheap.large', offerings: [anOffering('eu-west-3a', 'on-demand', 0.1)] }),
      anInstanceType({ name: 'dear.large', offerings: [anOffering('eu-west-3a', 'spot', 0.3)] }),
      anInstanceType({ name: 'fair.large', offerings: [anOffering('eu-west-3a', 'spot', 0.25)] }),
    ];
    expect(names(launchOptions(types, ANY, { template: { minValues: [] } }))).toEqual(['cheap.large', 'fair.large']);
  });

  test('include expensive spot if there is no on-demand offering (C40)', () => {
    const types = [anInstanceType({ offerings: [anOffering('eu-west-3a', 'spot', 9)] })];
    expect(launchOptions(types, ANY, { template: { minValues: [] } })).toHaveLength(1);
  });

  test('include both for a pool with minValues (C39, C40)', () => {
    const dear = anInstanceType({ name: 'dear.large', offerings: [anOffering('eu-west-3a', 'spot', 9)] });
    expect(
      names(launchOptions([gpu, plain, dear], ANY, { template: { minValues: [{ key: FAMILY, count: 1 }] } })),
    ).toHaveLength(3);
  });

  /** 70 types, each of its own family: `t0.large` is the most expensive, `t69.large` the cheapest. */
  const many = Array.from({ length: 70 }, (_, index) =>
    anInstanceType({ name: `t${index}.large`, price: (70 - index) / 100, zones: ['eu-west-3a'] }),
  );
  const special = anInstanceType({ name: 'x1.large', price: 9, zones: ['eu-west-3a'] });

  test('are the 60 cheapest types, with all their offerings (B25, C42)', () => {
    const options = launchOptions(many, ON_DEMAND, { template: { minValues: [] } });
    expect(options).toHaveLength(60);
    expect(options.map((one) => one.instanceType)).not.toContain('t0.large');
    expect(options[0]?.instanceType).toBe('t69.large');
  });

  test('are ranked by the cheapest offering that matches the requirements (B25, B26)', () => {
    const types = [
      ...many,
      anInstanceType({ name: 'spotty.large', offerings: [anOffering('eu-west-3a', 'spot', 0.001)] }),
      anInstanceType({
        name: 'mixed.large',
        offerings: [anOffering('eu-west-3a', 'spot', 0.001), anOffering('eu-west-3a', 'on-demand', 9)],
      }),
    ];
    expect(names(launchOptions(types, ON_DEMAND, { template: { minValues: [] } }))).not.toContain('mixed.large');
    expect(names(launchOptions(types, ANY, { template: { minValues: [] } })).slice(0, 2)).toEqual([
      'mixed.large',
      'spotty.large',
    ]);
  });

  test('include an expensive type among the 60 if minValues needs it; Karpenter refuses the claim (B24, B25)', () => {
    const alike = many.map((type) => ({
      ...type,
      requirements: { ...type.requirements, [FAMILY]: ['t'] },
    }));
    const options = launchOptions([...alike, special], ON_DEMAND, {
      template: { minValues: [{ key: FAMILY, count: 2 }] },
    });
    expect(options).toHaveLength(60);
    expect(names(options)).toContain('x1.large');
    expect(names(options)).not.toContain('t10.large');
    expect(names(options)).toContain('t11.large');
  });

  test('include the cheapest types with the values of every label of minValues (B24, B25)', () => {
    const metered = many.map((type, at) => ({
      ...type,
      requirements: {
        ...type.requirements,
        [FAMILY]: [at === 3 ? 'a' : 't'],
        'karpenter.k8s.aws/instance-cpu': [at < 2 ? `${at + 4}` : '2'],
      },
    }));
    const minValues = [
      { key: FAMILY, count: 2 },
      { key: 'karpenter.k8s.aws/instance-cpu', count: 2 },
    ];
    const kept = names(launchOptions(metered, ON_DEMAND, { template: { minValues } }));
    expect(kept).toHaveLength(60);
    expect(kept.slice(-3)).toEqual(['t12.large', 't3.large', 't1.large']);
  });

  test('are all types if no types satisfy minValues, which BestEffort allows (B24, B25)', () => {
    const options = launchOptions(many, ON_DEMAND, { template: { minValues: [{ key: FAMILY, count: 99 }] } });
    expect(options).toHaveLength(60);
    expect(names(options)).not.toContain('t0.large');
  });
});
