import { expect, test } from 'vitest';
import { type CataloguePorts, createCatalogue, refreshCatalogue } from '../../lib/controllers/catalogue.ts';
import type { Catalogue } from '../../lib/core/instance-type/facts.ts';
import { UnreachableError } from '../../lib/ports/errors.ts';
import { simulatedPricing } from '../../lib/simulator/aws/simulated-pricing.ts';
import { memoryCatalogueStore } from '../../lib/simulator/memory-catalogue-store.ts';
import { factsOf } from '../builders/catalogue-facts.ts';

const place = { type: 'm5.large', zone: 'us-east-1a', zoneId: 'use1-az6' };
const world: Catalogue = {
  region: 'us-east-1',
  asOf: '2026-01-31T08:00:00Z',
  facts: [factsOf()],
  offerings: [{ ...place, onDemandUsdPerHour: 0.096, spotUsdPerHour: 0.04 }],
};

function portsWith(over: Partial<CataloguePorts['pricing']> = {}): CataloguePorts {
  return {
    cloud: { describeCatalogue: async () => ({ ...world, offerings: [place] }) },
    catalogue: memoryCatalogueStore(),
    pricing: { ...simulatedPricing(world), ...over },
    shippedPrices: new Map([['m5.large', 0.1]]),
  };
}

const unreachable = async () => Promise.reject(new UnreachableError('no reply'));
const none = async () => new Map<string, number>();

test('types, zones and prices are written as one catalogue', async () => {
  const ports = portsWith();
  expect(await refreshCatalogue(ports)).toEqual([]);
  expect((await ports.catalogue.readCatalogue())?.offerings).toEqual(world.offerings);
});

test('prices that cannot be read are reported, and the last known ones are kept', async () => {
  const ports = portsWith({ onDemandPrices: unreachable, spotPrices: unreachable });
  expect((await refreshCatalogue(ports)).map(({ message }) => message)).toEqual(['no reply', 'no reply']);
  const [offering] = (await ports.catalogue.readCatalogue())?.offerings ?? [];
  expect(offering).toMatchObject({ onDemandUsdPerHour: 0.1, spotUsdPerHour: 0.1 });
});

test('of several calls because there is no catalogue, only the first reads EC2', async () => {
  let reads = 0;
  const ports = portsWith();
  const describeCatalogue = async () => {
    reads += 1;
    return ports.cloud.describeCatalogue();
  };
  const counted = { ...ports, cloud: { describeCatalogue } };
  await createCatalogue(counted);
  await createCatalogue(counted);
  expect(reads).toBe(1);
  await refreshCatalogue(counted);
  expect(reads).toBe(2);
});

test('if types cannot be read, the catalogue does not change', async () => {
  const ports = portsWith();
  await refreshCatalogue(ports);
  await expect(refreshCatalogue({ ...ports, cloud: { describeCatalogue: unreachable } })).rejects.toThrow('no reply');
  expect((await ports.catalogue.readCatalogue())?.offerings).toEqual(world.offerings);
});

test.each([
  ['types', { facts: [] }],
  ['places', { offerings: [] }],
])('an answer without any %s is a failed read: the catalogue does not change', async (_, empty) => {
  const ports = portsWith();
  await refreshCatalogue(ports);
  const cloud = { describeCatalogue: async () => ({ ...world, ...empty }) };
  await expect(refreshCatalogue({ ...ports, cloud })).rejects.toBeInstanceOf(UnreachableError);
  expect((await ports.catalogue.readCatalogue())?.offerings).toEqual(world.offerings);
});

test('an answer without any prices is a failed read: it is reported, and the last known prices are kept', async () => {
  const ports = portsWith();
  await refreshCatalogue(ports);
  const later = { describeCatalogue: async () => ({ ...world, offerings: [place], asOf: '2026-01-31T20:00:00Z' }) };
  const failures = await refreshCatalogue({
    ...ports,
    cloud: later,
    pricing: { onDemandPrices: none, spotPrices: none },
  });
  expect(failures.map(({ message }) => message)).toEqual([
    'read on-demand prices: the answer of AWS has none; the last known ones are used',
    'read spot prices: the answer of AWS has none; the last known ones are used',
  ]);
  const kept = await ports.catalogue.readCatalogue();
  expect(kept).toMatchObject({ asOf: '2026-01-31T20:00:00Z', onDemandAsOf: world.asOf, spotAsOf: world.asOf });
  expect(kept?.offerings).toEqual(world.offerings);
});

test.each([
  ['that is new', undefined],
  [
    'whose last answers had none',
    { ...world, spotAsOf: world.asOf, offerings: [{ ...place, onDemandUsdPerHour: 0.096 }] },
  ],
  [
    'that has used on-demand prices in their place',
    { ...world, offerings: [{ ...place, onDemandUsdPerHour: 0.096, spotUsdPerHour: 0.096 }] },
  ],
])(
  'C29: in a region %s, an answer without spot prices means that there are no spot offerings, also after days',
  async (_, before) => {
    const ports = portsWith({ spotPrices: none });
    if (before !== undefined) await ports.catalogue.writeCatalogue(before);
    for (const asOf of ['2026-02-01T08:00:00Z', '2026-02-02T20:00:00Z']) {
      const describeCatalogue = async () => ({ ...world, offerings: [place], asOf });
      expect(await refreshCatalogue({ ...ports, cloud: { describeCatalogue } })).toEqual([]);
      const written = await ports.catalogue.readCatalogue();
      expect(written).toMatchObject({ onDemandAsOf: asOf, spotAsOf: asOf });
      expect(written?.offerings).toEqual([{ ...place, onDemandUsdPerHour: 0.096 }]);
    }
  },
);

test('a stored catalogue that cannot be read is written again, and reported', async () => {
  const ports = portsWith();
  const catalogue = { ...ports.catalogue, readCatalogue: unreachable };
  expect((await refreshCatalogue({ ...ports, catalogue })).map(({ message }) => message)).toEqual(['no reply']);
  expect((await ports.catalogue.readCatalogue())?.offerings).toEqual(world.offerings);
});

/** Refreshes two catalogues, the second of them later and without prices. */
async function refreshedLater(asOf: string): Promise<readonly Error[]> {
  const ports = portsWith();
  await refreshCatalogue(ports);
  const describeCatalogue = async () => ({ ...world, offerings: [place], asOf });
  const pricing = { onDemandPrices: unreachable, spotPrices: unreachable };
  return refreshCatalogue({ ...ports, pricing, cloud: { describeCatalogue } });
}

test('prices that could not be read three times in a row fail the run, after the catalogue was written', async () => {
  expect(await refreshedLater('2026-02-01T08:00:00Z')).toHaveLength(2);
  await expect(refreshedLater('2026-02-01T20:00:00Z')).rejects.toThrow(
    'prices are too old: on-demand prices are 36 hours old, spot prices are 36 hours old: no reply',
  );
});
