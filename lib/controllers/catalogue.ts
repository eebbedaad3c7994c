import type { Catalogue } from '../core/instance-type/facts.ts';
import { hasSpotPrices, pricedCatalogue, whyTooOld } from '../core/instance-type/offerings/prices.ts';
import type { CatalogueReader } from '../ports/cloud-provider.ts';
import { PortError, UnreachableError } from '../ports/errors.ts';
import type { Pricing } from '../ports/pricing.ts';
import type { UsesCatalogue } from './run/ports.ts';

export interface CataloguePorts extends UsesCatalogue {
  readonly cloud: CatalogueReader;
  readonly pricing: Pricing;
  /** The on-demand prices of the region that are bundled with Kerf, by type. */
  readonly shippedPrices: ReadonlyMap<string, number>;
}

/**
 * Instance types, zones and prices of the region → the table, for every cluster of the account. *Shape:* a failure for prices
 * that could not be read: the last known ones are used. *Errors:* those of the ports, if types or zones cannot be read; the first of these
 * failures if the last known prices are too old, so that the wake fails and becomes a dead letter, which has an alarm. An answer without
 * any type, place or price is a failure too: it would leave nothing to launch until the next read. Only where no spot prices are known, an
 * answer without any is one: some regions have no spot capacity.
 */
export async function refreshCatalogue(ports: CataloguePorts): Promise<readonly Error[]> {
  const failures: PortError[] = [];
  const orKnown = async <T>(prices: Promise<T>): Promise<T | undefined> => {
    try {
      return await prices;
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      failures.push(error);
      return undefined;
    }
  };
  const reading = orKnown(ports.catalogue.readCatalogue());
  const spotPrices = async () => {
    const [answer, known] = await Promise.all([ports.pricing.spotPrices(), reading]);
    return hasSpotPrices(known) ? withPrices('spot')(answer) : answer;
  };
  const [described, onDemand, spot, previous] = await Promise.all([
    ports.cloud.describeCatalogue().then(withTypes),
    orKnown(ports.pricing.onDemandPrices().then(withPrices('on-demand'))),
    orKnown(spotPrices()),
    reading,
  ]);
  const shipped = ports.shippedPrices;
  const catalogue = pricedCatalogue(described, { onDemand, spot, previous, shipped });
  await ports.catalogue.writeCatalogue(catalogue);
  const tooOld = whyTooOld(catalogue);
  const [cause] = failures;
  if (tooOld !== undefined && cause !== undefined)
    throw new Error(`prices are too old: ${tooOld}: ${cause.message}`, { cause });
  return failures;
}

function withTypes(catalogue: Catalogue): Catalogue {
  if (catalogue.facts.length > 0 && catalogue.offerings.length > 0) return catalogue;
  throw new UnreachableError(
    `describe the catalogue: EC2 has answered with ${catalogue.facts.length} instance types in ${catalogue.offerings.length} places; the last catalogue stays`,
  );
}

function withPrices(kind: string): (prices: ReadonlyMap<string, number>) => ReadonlyMap<string, number> {
  return (prices) => {
    if (prices.size > 0) return prices;
    throw new UnreachableError(`read ${kind} prices: the answer of AWS has none; the last known ones are used`);
  };
}

/**
 * The same if there is no catalogue. While it is read for the first time, each run of another function reports that there is none, and each
 * report calls the function: only the first of these calls reads EC2.
 */
export async function createCatalogue(ports: CataloguePorts): Promise<readonly Error[]> {
  return (await ports.catalogue.readCatalogue()) === undefined ? refreshCatalogue(ports) : [];
}
