import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readCatalogue } from '../../../lib/core/instance-type/catalogue.ts';
import { instanceTypesFor } from '../../../lib/core/instance-type/resolve.ts';
import { aNodeClass } from '../../builders/node-pools.ts';

const DATA = join(import.meta.dirname, '../../../data');
const REGIONS = readdirSync(join(DATA, 'regions')).map((file) => file.replace('.json', ''));

function shipped(region: string) {
  return readCatalogue(parsed('instance-types.json'), parsed(join('regions', `${region}.json`)));
}

function parsed(file: string): unknown {
  return JSON.parse(readFileSync(join(DATA, file), 'utf8'));
}

test('the shipped figures are of at least 600 types in 12 regions', () => {
  expect(shipped('eu-west-3').facts.length).toBeGreaterThanOrEqual(600);
  expect(REGIONS).toHaveLength(12);
});

describe.each(REGIONS)('%s', (region) => {
  const catalogue = shipped(region);
  test('offers only types that the facts describe', () => {
    const known = new Set(catalogue.facts.map(({ name }) => name));
    expect(catalogue.offerings.filter(({ type }) => !known.has(type))).toEqual([]);
  });
  test('is the document of its file name, with its own zones', () => {
    expect(catalogue.region).toBe(region);
    expect(catalogue.offerings.filter(({ zone }) => zone.slice(0, -1) !== region)).toEqual([]);
  });
  test('sells at least 300 types, each with something left for pods', () => {
    const types = instanceTypesFor(catalogue, aNodeClass());
    expect(types.length).toBeGreaterThanOrEqual(300);
    expect(types.filter(({ allocatable }) => Object.values(allocatable).some((amount) => amount < 0))).toEqual([]);
  });
  test('has spot prices above nothing and at most a rounding above on demand', () => {
    const odd = catalogue.offerings.filter(
      ({ onDemandUsdPerHour = Infinity, spotUsdPerHour = 1e-6 }) =>
        spotUsdPerHour <= 0 || spotUsdPerHour > onDemandUsdPerHour * 1.001,
    );
    expect(odd).toEqual([]);
  });
});

test.each([
  ['m5.large', 27],
  ['m7i.large', 32],
  ['m5d.24xlarge', 23],
  ['i3en.24xlarge', 19],
  ['d3en.12xlarge', 3],
  ['g5.48xlarge', 9],
])('a %s attaches %i EBS volumes with its root volume, without its disks and accelerators', (name, expected) => {
  expect(shipped('us-east-1').facts.find((type) => type.name === name)?.ebsAttachments).toBe(expected);
});

test('a t4g in eu-west-3a doubles its on-demand price with its size', () => {
  const prices = new Map(
    shipped('eu-west-3')
      .offerings.filter(({ type, zone }) => type.startsWith('t4g.') && zone === 'eu-west-3a')
      .map(({ type, onDemandUsdPerHour = 0 }) => [type.slice(4), onDemandUsdPerHour]),
  );
  const sizes = ['nano', 'micro', 'small', 'medium', 'large', 'xlarge', '2xlarge'];
  expect([...prices.keys()].toSorted()).toEqual(sizes.toSorted());
  expect(prices.get('nano')).toBeCloseTo(0.0047, 4);
  for (const [at, size] of sizes.entries()) expect(prices.get(size)).toBeCloseTo(0.0047 * 2 ** at, 4);
});
