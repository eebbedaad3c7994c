/** What EC2 does not say of its instance types, from the tables that travel beside the catalogue function's bundle. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readCatalogue } from '../core/instance-type/catalogue.ts';
import { OptionError } from './options.ts';

export interface PriceTables {
  readonly onDemandUsdPerHour: ReadonlyMap<string, number>;
  readonly branchInterfaces: ReadonlyMap<string, number>;
}

/** *Errors:* OptionError for a region of which no prices are shipped. */
export function readPriceTables(folder: string, region: string): PriceTables {
  const regionFile = `${folder}/regions/${region}.json`;
  if (!existsSync(regionFile)) {
    const known = readdirSync(`${folder}/regions`).map((file) => file.replace('.json', ''));
    throw new OptionError(`no on-demand prices are shipped for region ${region}: there are ${known.join(', ')}`);
  }
  const { facts, offerings } = readCatalogue(readJson(`${folder}/instance-types.json`), readJson(regionFile));
  return {
    onDemandUsdPerHour: new Map(
      offerings.flatMap(({ type, onDemandUsdPerHour: price }) => (price === undefined ? [] : [[type, price] as const])),
    ),
    branchInterfaces: new Map(
      facts.flatMap(({ name, branchInterfaces: count }) => (count === undefined ? [] : [[name, count] as const])),
    ),
  };
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
