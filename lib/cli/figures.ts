import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BadInputError } from '../apis/bad-input-error.ts';
import { isRecord } from '../apis/record.ts';
import type { KnownFigures } from '../core/advice/known-figures.ts';
import { indexTypes } from '../core/advice/type-index.ts';
import { readCatalogue, readFacts } from '../core/instance-type/catalogue.ts';
import type { Catalogue } from '../core/instance-type/facts.ts';
import { suggest } from './manifests/suggest.ts';
import type { RegionChoice } from './simulate/choose-region.ts';

/** The folder of the figures that come with Kerf. */
export const DATA: string = fileURLToPath(new URL('../../data/', import.meta.url));

/** The shipped figures of one region. *Errors:* BadInputError for a region that there are no figures for. */
export function shippedCatalogue({ region, because }: RegionChoice): Catalogue {
  const regions = shippedRegions();
  if (!regions.includes(region)) {
    throw new BadInputError(
      `there are no figures for region "${region}" (${because}): name another region there; allowed: ${regions.toSorted().join(', ')}`,
    );
  }
  return readCatalogue(readData('instance-types.json'), readData(`regions/${region}.json`));
}

/** What the shipped figures of all regions say, to tell whether a manifest asks for something that there is. */
export function shippedFigures(): KnownFigures {
  const zones = shippedRegions().map((region) => [region, zonesOf(readData(`regions/${region}.json`))] as const);
  return { types: indexTypes(readFacts(readData('instance-types.json'))), zones: new Map(zones), suggest };
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
