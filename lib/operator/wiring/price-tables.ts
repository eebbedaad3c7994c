/** Facts about instance types that EC2 does not return, from the tables in the catalogue function's package. */
import { existsSync, readFileSync } from 'node:fs';
import { readCatalogue, readFacts } from '../../core/instance-type/catalogue.ts';

export interface PriceTables {
  /** Empty for a region without shipped prices, where all prices come from AWS. */
  readonly onDemandUsdPerHour: ReadonlyMap<string, number>;
  readonly branchInterfaces: ReadonlyMap<string, number>;
}

export function readPriceTables(folder: string, region: string): PriceTables {
  const types = readJson(`${folder}/instance-types.json`);
  const regionFile = `${folder}/regions/${region}.json`;
  const offerings = existsSync(regionFile) ? readCatalogue(types, readJson(regionFile)).offerings : [];
  return {
    onDemandUsdPerHour: new Map(
      offerings.flatMap(({ type, onDemandUsdPerHour: price }) => (price === undefined ? [] : [[type, price] as const])),
    ),
    branchInterfaces: new Map(
      readFacts(types).flatMap(({ name, branchInterfaces: count }) =>
        count === undefined ? [] : [[name, count] as const],
      ),
    ),
  };
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
