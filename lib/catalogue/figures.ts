import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BadInputError } from '../apis/bad-input-error.ts';
import { isRecord } from '../apis/record.ts';
import { readCatalogue, readFacts } from '../core/instance-type/catalogue.ts';
import type { Catalogue, InstanceTypeFacts } from '../core/instance-type/facts.ts';
import type { RegionChoice } from './choose-region.ts';

/** The folder of the bundled data on EC2. */
export const DATA: string = fileURLToPath(new URL('../../data/', import.meta.url));

/** Returns the bundled instance types and prices of a region. *Errors:* BadInputError if no data is bundled for the region. */
export function shippedCatalogue({ region, because }: RegionChoice): Catalogue {
  const regions = shippedRegions();
  if (!regions.includes(region)) {
    throw new BadInputError(
      `there are no bundled figures for region "${region}" (${because}): use one of ${regions.toSorted().join(', ')}`,
    );
  }
  return readCatalogue(readData('instance-types.json'), readData(`regions/${region}.json`));
}

/** Returns the instance types in the bundled data of all regions. */
export function shippedFacts(): readonly InstanceTypeFacts[] {
  return readFacts(readData('instance-types.json'));
}

/** Returns the ids of zones by their names, by region. */
export function shippedZones(): ReadonlyMap<string, ReadonlyMap<string, string>> {
  return new Map(shippedRegions().map((region) => [region, zonesOf(readData(`regions/${region}.json`))] as const));
}

function zonesOf(region: unknown): ReadonlyMap<string, string> {
  const zones = isRecord(region) && isRecord(region['zones']) ? Object.entries(region['zones']) : [];
  return new Map(zones.map(([zone, id]) => [zone, String(id)]));
}

function shippedRegions(): readonly string[] {
  return readdirSync(`${DATA}/regions`).map((file) => file.replace('.json', ''));
}

function readData(name: string): unknown {
  return JSON.parse(readFileSync(`${DATA}/${name}`, 'utf8'));
}
