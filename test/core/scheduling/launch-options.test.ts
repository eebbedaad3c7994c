import { describe, expect, test } from 'vitest';
import { requirementsFrom } from '../../../lib/core/requirements/requirements.ts';
import { launchOptions } from '../../../lib/core/scheduling/pools/launch-options.ts';
import { anInstanceType, anOffering } from '../../builders/instance-types.ts';
import { asking } from '../../builders/node-pools.ts';

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

describe('what a claim may be launched as', () => {
  test('is listed cheapest first, ties by type, zone and capacity type', () => {
    const types = [anInstanceType({ name: 'b.large', price: 0.1 }), anInstanceType({ name: 'a.large', price: 0.1 })];
    const options = launchOptions(types, ANY, { flexible: false });
    expect(options.map((one) => `${one.capacityType} ${one.instanceType} ${one.zone}`).slice(0, 4)).toEqual([
      'spot a.large eu-west-3a',
      'spot a.large eu-west-3b',
      'spot a.large eu-west-3c',
      'spot b.large eu-west-3a',
    ]);
    expect(options).toHaveLength(12);
  });

  test('is what the requirements on zone and capacity type leave, and what is to be had', () => {
    const sold = anOffering('eu-west-3a', 'on-demand');
    const type = anInstanceType({
      offerings: [sold, { ...sold, zone: 'eu-west-3b', available: false }, anOffering('eu-west-3c', 'spot')],
    });
    expect(launchOptions([type], ON_DEMAND, { flexible: false })).toEqual([
      { instanceType: 'm5.large', zone: 'eu-west-3a', capacityType: 'on-demand', priceUsdPerHour: 0.1 },
    ]);
  });

  test('is in the wanted zone where its id is named', () => {
    const wanted = requirementsFrom([asking('topology.k8s.aws/zone-id', 'In', 'euw3-az2')]);
    const options = launchOptions([anInstanceType()], wanted, { flexible: false });
    expect(new Set(options.map((one) => one.zone))).toEqual(new Set(['eu-west-3b']));
  });

  test('leaves out metal and accelerators while something plain is left (C39)', () => {
    expect(names(launchOptions([gpu, metal, neuron, plain], ANY, { flexible: false }))).toEqual(['m5.large']);
  });

  test('keeps them where nothing plain is left (C39)', () => {
    expect(names(launchOptions([gpu, metal, neuron], ANY, { flexible: false }))).toHaveLength(3);
  });

  test('leaves out spot that is dearer than the cheapest on demand (C40)', () => {
    const types = [
      anInstanceType({ name: 'cheap.large', offerings: [anOffering('eu-west-3a', 'on-demand', 0.1)] }),
      anInstanceType({ name: 'dear.large', offerings: [anOffering('eu-west-3a', 'spot', 0.3)] }),
      anInstanceType({ name: 'fair.large', offerings: [anOffering('eu-west-3a', 'spot', 0.25)] }),
    ];
    expect(names(launchOptions(types, ANY, { flexible: false }))).toEqual(['cheap.large', 'fair.large']);
  });

  test('keeps dear spot where there is no on-demand to compare (C40)', () => {
    const types = [anInstanceType({ offerings: [anOffering('eu-west-3a', 'spot', 9)] })];
    expect(launchOptions(types, ANY, { flexible: false })).toHaveLength(1);
  });

  test('keeps both for a pool that asks for flexibility (C39, C40)', () => {
    const dear = anInstanceType({ name: 'dear.large', offerings: [anOffering('eu-west-3a', 'spot', 9)] });
    expect(names(launchOptions([gpu, plain, dear], ANY, { flexible: true }))).toHaveLength(3);
  });

  test('is the 60 cheapest types, with all their offerings (C42)', () => {
    const types = Array.from({ length: 70 }, (_, index) =>
      anInstanceType({ name: `t${index}.large`, price: (70 - index) / 100, zones: ['eu-west-3a'] }),
    );
    const options = launchOptions(types, ON_DEMAND, { flexible: false });
    expect(options).toHaveLength(60);
    expect(options.map((one) => one.instanceType)).not.toContain('t0.large');
    expect(options[0]?.instanceType).toBe('t69.large');
  });
});
