import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readCatalogue } from '../core/instance-type/catalogue.ts';
import type { Catalogue } from '../core/instance-type/facts.ts';
import { BadInputError } from './exit-codes.ts';
import type { RegionChoice } from './simulate/choose-region.ts';

const DATA = fileURLToPath(new URL('../../data/', import.meta.url));

/** The shipped figures of one region. *Errors:* BadInputError for a region that there are no figures for. */
export function shippedCatalogue({ region, because }: RegionChoice): Catalogue {
  const regions = readdirSync(`${DATA}/regions`).map((file) => file.replace('.json', ''));
  if (!regions.includes(region)) {
    throw new BadInputError(
      `there are no figures for region "${region}" (${because}): name another region there; allowed: ${regions.toSorted().join(', ')}`,
    );
  }
  return readCatalogue(readData('instance-types.json'), readData(`regions/${region}.json`));
}

function readData(name: string): unknown {
  return JSON.parse(readFileSync(`${DATA}/${name}`, 'utf8'));
}
