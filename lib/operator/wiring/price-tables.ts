/** Facts about instance types that EC2 does not return, from the tables in the catalogue function's package. */
import { existsSync, readFileSync } from 'node:fs';
import { readCatalogue, readFacts } from '../../core/instance-type/catalogue.ts';

export interface PriceTables {
  /** For a region without shipped prices, those of us-east-1. Empty in China, whose prices are in another currency. */
  readonly onDemandUsdPerHour: ReadonlyMap<string, number>;
  readonly branchInterfaces: ReadonlyMap<string, number>;
}

/** C28: without prices, GovCloud, which has no price list, would have no on-demand offerings. */
const FALLBACK_REGION = 'us-east-1';

export function readPriceTables(folder: string, region: string): PriceTables {
  const types = readJson(`${folder}/instance-types.json`);
  const fileOf = (name: string): string => `${folder}/regions/${name}.json`;
  const shipped = existsSync(fileOf(region)) ? region : FALLBACK_REGION;
  const offerings = region.startsWith('cn-') ? [] : readCatalogue(types, readJson(fileOf(shipped))).offerings;
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
