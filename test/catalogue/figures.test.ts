import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DATA, shippedCatalogue, shippedZones } from '../../lib/catalogue/figures.ts';
import { NEAREST_REGIONS } from '../../lib/catalogue/nearest-regions.ts';
import { instanceTypesFor } from '../../lib/core/instance-type/resolve.ts';
import { aNodeClass } from '../builders/node-pools.ts';

const because = 'the test';

function zonesOf(region: string): readonly string[] {
  return [...new Set(shippedCatalogue({ region, because }).offerings.map(({ zone }) => zone))].toSorted();
}

test('every region has figures of its own or a near region, and not both', () => {
  const [priced, offered] = ['regions', 'offerings'].map((folder) =>
    readdirSync(`${DATA}${folder}`).map((file) => file.replace('.json', '')),
  );
  const near = Object.entries(NEAREST_REGIONS);
  expect(new Set([...(priced ?? []), ...near.map(([region]) => region)]).size).toBe(34);
  expect(near.filter(([region]) => priced?.includes(region))).toEqual([]);
  expect(near.flatMap(([region, { offerings }]) => (offerings === undefined ? [region] : []))).toEqual(offered);
});

describe.each(Object.keys(NEAREST_REGIONS))('%s, which has no prices', (region) => {
  const catalogue = shippedCatalogue({ region, because });

  test('has its own zones, at least 140 types with prices, and a sentence about it', () => {
    expect(catalogue.region).toBe(region);
    expect(catalogue.offerings.filter(({ zone }) => zone.slice(0, -1) !== region)).toEqual([]);
    expect(zonesOf(region).length).toBeGreaterThanOrEqual(3);
    const usable = instanceTypesFor(catalogue, aNodeClass()).filter(({ offerings }) => offerings.length > 0);
    expect(usable.length).toBeGreaterThanOrEqual(140);
    expect(catalogue.standIn).toContain(region);
  });
});

test('a region without prices has its own zones and types, with the prices of the nearest region', () => {
  const seoul = shippedCatalogue({ region: 'ap-northeast-2', because });
  const oregon = shippedCatalogue({ region: 'us-west-2', because });
  expect(zonesOf('ap-northeast-2')).toEqual(['a', 'b', 'c', 'd'].map((letter) => `ap-northeast-2${letter}`));
  const [here] = seoul.offerings.filter(({ type }) => type === 'm5.large');
  const [there] = oregon.offerings.filter(({ type }) => type === 'm5.large');
  expect(here).toEqual({ ...there, zone: 'ap-northeast-2a', zoneId: 'apne2-az1' });
  expect(seoul.standIn).toBe(
    'no prices of ap-northeast-2 are bundled: the prices of us-west-2, the nearest region with prices, are used',
  );
});

test('a region without any table has the types of a near region in the zones a, b and c', () => {
  expect(zonesOf('mx-central-1')).toEqual(['mx-central-1a', 'mx-central-1b', 'mx-central-1c']);
  expect(shippedCatalogue({ region: 'mx-central-1', because }).standIn).toBe(
    'no figures of mx-central-1 are bundled: the instance types of us-east-1, in the zones mx-central-1a, mx-central-1b, mx-central-1c, and the prices of us-east-1 are used',
  );
});

test('a region with figures has no such sentence', () => {
  expect(shippedCatalogue({ region: 'us-east-1', because }).standIn).toBeUndefined();
});

test.each([
  ['us-eats-1', /"us-eats-1" \(the test\): did you mean us-east-1\? use one of af-south-1, /],
  ['mars', /"mars" \(the test\): use one of af-south-1, /],
  ['us-gov-west-1', /no bundled figures for region "us-gov-west-1"/],
])('the region %s is refused', (region, message) => {
  expect(() => shippedCatalogue({ region, because })).toThrow(message);
});

test('the zones of regions without prices are known', () => {
  expect([...(shippedZones().get('ap-northeast-1')?.keys() ?? [])]).toEqual([
    'ap-northeast-1a',
    'ap-northeast-1c',
    'ap-northeast-1d',
  ]);
});
