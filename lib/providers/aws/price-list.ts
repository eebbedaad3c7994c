import { type Filter, GetProductsCommand, type PricingClient } from '@aws-sdk/client-pricing';
import { RefusedError } from '../../ports/errors.ts';
import { allPages } from './pages.ts';

/** Where the Price List service answers; each knows the prices of its whole partition (C28). */
export function priceListRegion(region: string): string {
  if (region.startsWith('cn-')) return 'cn-northwest-1';
  if (region.startsWith('ap-')) return 'ap-south-1';
  return /^(eu|me|af|il)-/.test(region) ? 'eu-central-1' : 'us-east-1';
}

/**
 * On-demand prices of Linux in USD (in China CNY) an hour, by type. *Cost:* some 12 calls.
 * *Errors:* RefusedError also for a partition without a price list: GovCloud and the isolated ones.
 */
export async function onDemandPrices(client: PricingClient, region: string): Promise<ReadonlyMap<string, number>> {
  if (/^us-(gov|iso|isob|isof)-/.test(region) || region.startsWith('eu-isoe-')) {
    throw new RefusedError(`read on-demand prices: region ${region} has no price list: shipped prices are used`);
  }
  const lists = await Promise.all([
    listProducts(client, region, { tenancy: 'Shared', productFamily: 'Compute Instance' }),
    // Bare metal is nobody's share.
    listProducts(client, region, { tenancy: 'Dedicated', productFamily: 'Compute Instance (bare metal)' }),
  ]);
  return new Map(lists.flat().flatMap(priceOf));
}

function listProducts(
  client: PricingClient,
  region: string,
  kind: Readonly<Record<'tenancy' | 'productFamily', string>>,
): Promise<readonly string[]> {
  const wanted = {
    regionCode: region,
    operatingSystem: 'Linux',
    preInstalledSw: 'NA',
    capacitystatus: 'Used',
    marketoption: 'OnDemand',
    ...kind,
  };
  const Filters = Object.entries(wanted).map(([Field, Value]): Filter => ({ Type: 'TERM_MATCH', Field, Value }));
  return allPages('read on-demand prices', async (token) => {
    const answer = await client.send(
      new GetProductsCommand({
        ServiceCode: 'AmazonEC2',
        Filters,
        MaxResults: 100,
        ...(token === undefined ? {} : { NextToken: token }),
      }),
    );
    // Texts, or the SDK's own kind of text.
    const products: unknown = answer.PriceList;
    return { items: Array.isArray(products) ? products.map(String) : [], next: answer.NextToken };
  });
}

/** *Shape:* type and price of one product, a JSON text; nothing where it has none by the hour: upfront fees, free tiers. */
function priceOf(product: string): readonly (readonly [string, number])[] {
  const parsed = parsedOrNothing(product);
  const type = at(parsed, ['product', 'attributes', 'instanceType']);
  const offers = Object.values(record(at(parsed, ['terms', 'OnDemand'])));
  const dimensions = offers.flatMap((offer) => Object.values(record(at(offer, ['priceDimensions']))));
  const prices = dimensions
    .filter((dimension) => at(dimension, ['unit']) === 'Hrs')
    .map((dimension) => Number(at(dimension, ['pricePerUnit', 'USD']) ?? at(dimension, ['pricePerUnit', 'CNY'])));
  const price = prices.find((each) => each > 0);
  return typeof type !== 'string' || price === undefined ? [] : [[type, price]];
}

/** One entry that cannot be read costs one price, not all. */
function parsedOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => record(inner)[key], value);
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
