import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BadInputError } from '../apis/bad-input-error.ts';
import { quote } from '../apis/formats/quote.ts';
import { isRecord } from '../apis/record.ts';
import { readCatalogue, readFacts } from '../core/instance-type/catalogue.ts';
import type { Catalogue, InstanceTypeFacts, RegionalOffering } from '../core/instance-type/facts.ts';
import { suggest } from '../core/suggest.ts';
import type { RegionChoice } from './choose-region.ts';
import { NEAREST_REGIONS, type NearestRegion } from './nearest-regions.ts';

/** The folder of the bundled data on EC2. */
export const DATA: string = fileURLToPath(new URL('../../data/', import.meta.url));

export interface ShippedCatalogue extends Catalogue {
  /** What is taken from another region, as a sentence. @default the figures are those of the region */
  readonly standIn?: string;
}

/**
 * Returns the bundled instance types and prices of a region. *Shape:* for a region without bundled prices, its zones and instance
 * types with the prices of the nearest region that has prices. *Errors:* BadInputError for a region that is not known.
 */
export function shippedCatalogue(choice: RegionChoice): ShippedCatalogue {
  checkRegion(choice);
  const { region } = choice;
  const nearest = Object.hasOwn(NEAREST_REGIONS, region) ? NEAREST_REGIONS[region] : undefined;
  const types = readData('instance-types.json');
  return nearest === undefined
    ? readCatalogue(types, readData(`regions/${region}.json`))
    : catalogueNear(region, nearest, types);
}

/** Checks that figures are bundled for a region, or for one near it. *Errors:* BadInputError. */
export function checkRegion({ region, because }: RegionChoice): void {
  const known = [...regionsIn('regions'), ...Object.keys(NEAREST_REGIONS)].toSorted();
  if (known.includes(region)) return;
  const meant = suggest(region, known);
  const hint = meant === undefined ? '' : `did you mean ${meant}? `;
  throw new BadInputError(
    `there are no bundled figures for region ${quote(region)} (${because}): ${hint}use one of ${known.join(', ')}`,
  );
}

/** Returns the instance types in the bundled data of all regions. */
export function shippedFacts(): readonly InstanceTypeFacts[] {
  return readFacts(readData('instance-types.json'));
}

/** The day of `shippedFacts`, as a time of RFC 3339. */
export function shippedTypesAsOf(): string {
  const types = readData('instance-types.json');
  return String(isRecord(types) ? types['asOf'] : '');
}

/** Returns the ids of zones by their names, by region. */
export function shippedZones(): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const tables = ['regions', 'offerings'].flatMap((folder) =>
    regionsIn(folder).map((region) => [region, zonesOf(readData(`${folder}/${region}.json`))] as const),
  );
  const others = Object.entries(NEAREST_REGIONS).flatMap(([region, { offerings }]) =>
    offerings === undefined ? [] : [[region, zonesFor(region, offerings.zoneIds)] as const],
  );
  return new Map([...tables, ...others]);
}

/** The catalogue of a region without prices: its offerings, or those of a region near it, with the prices of a third region. */
function catalogueNear(region: string, { prices, offerings }: NearestRegion, types: unknown): ShippedCatalogue {
  const priced = readCatalogue(types, readData(`regions/${prices}.json`));
  const found =
    offerings === undefined
      ? readCatalogue(types, readData(`offerings/${region}.json`)).offerings
      : inZonesOf(region, offerings.zoneIds, offeringsOf(offerings.region, types));
  const priceOf = new Map(priced.offerings.map((offering) => [offering.type, offering]));
  return {
    ...priced,
    region,
    offerings: found.map(({ type, zone, zoneId }) => {
      const { onDemandUsdPerHour, spotUsdPerHour } = priceOf.get(type) ?? {};
      return { type, zone, zoneId, onDemandUsdPerHour, spotUsdPerHour };
    }),
    standIn:
      offerings === undefined
        ? `no prices of ${region} are bundled: the prices of ${prices}, the nearest region with prices, are used`
        : `no figures of ${region} are bundled: the instance types of ${offerings.region}, in the zones ${[...zonesFor(region, offerings.zoneIds).keys()].join(', ')}, and the prices of ${prices} are used`,
  };
}

function offeringsOf(region: string, types: unknown): readonly RegionalOffering[] {
  const folder = regionsIn('regions').includes(region) ? 'regions' : 'offerings';
  return readCatalogue(types, readData(`${folder}/${region}.json`)).offerings;
}

/** The offerings of the zones a, b and c of a region, in the zones with the same letters of another region. */
function inZonesOf(
  region: string,
  zoneIds: string,
  offerings: readonly RegionalOffering[],
): readonly RegionalOffering[] {
  const ids = zonesFor(region, zoneIds);
  return offerings.flatMap(({ type, zone: theirs }) => {
    const zone = `${region}${theirs.slice(-1)}`;
    const zoneId = ids.get(zone);
    return zoneId === undefined ? [] : [{ type, zone, zoneId }];
  });
}

/** The zones a, b and c of a region. */
function zonesFor(region: string, zoneIds: string): ReadonlyMap<string, string> {
  return new Map(['a', 'b', 'c'].map((letter, index) => [`${region}${letter}`, `${zoneIds}-az${index + 1}`]));
}

function zonesOf(region: unknown): ReadonlyMap<string, string> {
  const zones = isRecord(region) && isRecord(region['zones']) ? Object.entries(region['zones']) : [];
  return new Map(zones.map(([zone, id]) => [zone, String(id)]));
}

function regionsIn(folder: string): readonly string[] {
  return readdirSync(`${DATA}/${folder}`).map((file) => file.replace('.json', ''));
}

function readData(name: string): unknown {
  return JSON.parse(readFileSync(`${DATA}/${name}`, 'utf8'));
}
