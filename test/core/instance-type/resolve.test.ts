import { describe, expect, test } from 'vitest';
import type { NodeSelectorRequirement } from '../../../lib/apis/kubernetes.ts';
import { ARCH, CAPACITY_TYPE, REGION, ZONE, ZONE_ID } from '../../../lib/apis/labels.ts';
import type { OfferingKey } from '../../../lib/core/instance-type/offerings/availability.ts';
import { instanceTypesFor } from '../../../lib/core/instance-type/resolve.ts';
import type { InstanceType } from '../../../lib/core/model/instance-type.ts';
import type { ResolvedImage } from '../../../lib/core/model/resolved-node-class.ts';
import { catalogueOf, factsOf, regionalOf } from '../../builders/catalogue-facts.ts';
import { anImage } from '../../builders/launch-context.ts';
import { aNodeClass } from '../../builders/node-pools.ts';

const ZONES = [regionalOf(), regionalOf({ zone: 'eu-west-3b', zoneId: 'euw3-az2', spotUsdPerHour: 0.05 })];

function valuesOf(type: InstanceType | undefined, label: string) {
  return type?.requirements[label] ?? [];
}

function offered(type: InstanceType | undefined) {
  return type?.offerings.map((each) => `${each.zone} ${each.capacityType} ${each.priceUsdPerHour} ${each.available}`);
}

function isSpotInZoneA({ type, zone, capacityType }: OfferingKey): boolean {
  return type === 'm5.large' && zone === 'eu-west-3a' && capacityType === 'spot';
}

describe('offerings', () => {
  test('are one a zone and capacity type (C25)', () => {
    const [type] = instanceTypesFor(catalogueOf([factsOf()], ZONES), aNodeClass());
    expect(offered(type)).toEqual([
      'eu-west-3a on-demand 0.1 true',
      'eu-west-3a spot 0.04 true',
      'eu-west-3b on-demand 0.1 true',
      'eu-west-3b spot 0.05 true',
    ]);
  });
  test('are only of the usage classes that the type supports (C14)', () => {
    const [type] = instanceTypesFor(catalogueOf([factsOf({ usageClasses: ['on-demand'] })], ZONES), aNodeClass());
    expect(valuesOf(type, CAPACITY_TYPE)).toEqual(['on-demand']);
  });
  test('need a price (C29)', () => {
    const offerings = [regionalOf({ spotUsdPerHour: undefined })];
    const [type] = instanceTypesFor(catalogueOf([factsOf()], offerings), aNodeClass());
    expect(offered(type)).toEqual(['eu-west-3a on-demand 0.1 true']);
  });
  test('where there is no subnet are listed as unavailable (C26)', () => {
    const zones = new Set(['eu-west-3b']);
    const [type] = instanceTypesFor(catalogueOf([factsOf()], ZONES), aNodeClass(), { zones });
    expect(offered(type)).toEqual([
      'eu-west-3a on-demand 0.1 false',
      'eu-west-3a spot 0.04 false',
      'eu-west-3b on-demand 0.1 true',
      'eu-west-3b spot 0.05 true',
    ]);
    expect([ZONE, ZONE_ID].map((label) => valuesOf(type, label))).toEqual([['eu-west-3b'], ['euw3-az2']]);
  });
  test('without capacity are listed as unavailable, one by one (C32)', () => {
    const [type] = instanceTypesFor(catalogueOf([factsOf()]), aNodeClass(), { isUnavailable: isSpotInZoneA });
    expect(offered(type)).toEqual(['eu-west-3a on-demand 0.1 true', 'eu-west-3a spot 0.04 false']);
    expect(valuesOf(type, CAPACITY_TYPE)).toEqual(['on-demand']);
  });
});

describe('instance types', () => {
  test('without an image cannot be launched, so they are left out (C65)', () => {
    const gpus = [{ name: 'T4', manufacturer: 'NVIDIA', count: 1, memoryMib: 16_384 }];
    const facts = [
      factsOf(),
      factsOf({ name: 'm6g.large', architecture: 'arm64' }),
      factsOf({ name: 'g4dn.xlarge', gpus }),
    ];
    const catalogue = catalogueOf(
      facts,
      facts.map(({ name }) => regionalOf({ type: name })),
    );
    const withImages = (...images: readonly ResolvedImage[]) =>
      instanceTypesFor(catalogue, aNodeClass(), { images }).map(({ name }) => name);
    const amd64: NodeSelectorRequirement = { key: ARCH, operator: 'In', values: ['amd64'] };
    const noGpu: NodeSelectorRequirement = { key: 'karpenter.k8s.aws/instance-gpu-count', operator: 'DoesNotExist' };
    expect(withImages(anImage({ requirements: [amd64] }))).toEqual(['m5.large', 'g4dn.xlarge']);
    expect(withImages(anImage({ requirements: [amd64, noGpu] }))).toEqual(['m5.large']);
    expect(withImages()).toEqual(['m5.large', 'm6g.large', 'g4dn.xlarge']);
  });

  test('carry the region and the zones that sell them', () => {
    const [type] = instanceTypesFor(catalogueOf([factsOf()], ZONES), aNodeClass());
    expect([REGION, ZONE].map((label) => valuesOf(type, label))).toEqual([['eu-west-3'], ['eu-west-3a', 'eu-west-3b']]);
  });
  test('that the region does not sell are left out (C1)', () => {
    expect(instanceTypesFor(catalogueOf([factsOf()], [regionalOf({ type: 'c5.large' })]), aNodeClass())).toEqual([]);
  });
  test('keep the order of the catalogue', () => {
    const catalogue = catalogueOf([factsOf({ name: 'm5.large' }), factsOf({ name: 'c5.large' })]);
    expect(instanceTypesFor(catalogue, aNodeClass()).map(({ name }) => name)).toEqual(['m5.large', 'c5.large']);
  });
  test.each([
    ['AL2023', 0],
    ['AL2', 1],
    ['Bottlerocket', 1],
  ] as const)('of the family a1 are not for AL2023: %s has %i (C27)', (amiFamily, count) => {
    const catalogue = catalogueOf([factsOf({ name: 'a1.large', architecture: 'arm64' })]);
    expect(instanceTypesFor(catalogue, aNodeClass({ amiFamily }))).toHaveLength(count);
  });
});

test('a type of an earlier result is used again while the same offerings are available', () => {
  const catalogue = catalogueOf(
    [factsOf(), factsOf({ name: 'm5.xlarge' })],
    [...ZONES, ...ZONES.map((one) => ({ ...one, type: 'm5.xlarge' }))],
  );
  const all = instanceTypesFor(catalogue, aNodeClass());
  const less = instanceTypesFor(catalogue, aNodeClass(), { isUnavailable: isSpotInZoneA, before: all });
  expect(less).toEqual(instanceTypesFor(catalogue, aNodeClass(), { isUnavailable: isSpotInZoneA }));
  expect(less.map((type, at) => type === all[at])).toEqual([false, true]);
  expect(instanceTypesFor(catalogue, aNodeClass(), { before: less })).toEqual(all);
});

describe('the EBS volumes that pods can attach to a node are those of the type (B44)', () => {
  const data = [{ deviceName: '/dev/xvda' }, { deviceName: '/dev/xvdb' }, { deviceName: '/dev/xvdc' }];
  test.each([
    { facts: { ebsAttachments: 27 }, spec: {}, ebsVolumes: 26 },
    { facts: { ebsAttachments: 27 }, spec: { amiFamily: 'Bottlerocket' }, ebsVolumes: 25 },
    { facts: { ebsAttachments: 27 }, spec: { blockDeviceMappings: data }, ebsVolumes: 24 },
    { facts: { ebsAttachments: 3 }, spec: { blockDeviceMappings: data }, ebsVolumes: 1 },
    { facts: {}, spec: {}, ebsVolumes: undefined },
  ] as const)('less those of the node: %j', ({ facts, spec, ebsVolumes }) => {
    const [type] = instanceTypesFor(catalogueOf([factsOf(facts)]), aNodeClass(spec));
    expect(type?.ebsVolumes).toBe(ebsVolumes);
  });
});
