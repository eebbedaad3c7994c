import { type Filter, GetProductsCommand, type PricingClient } from '@aws-sdk/client-pricing';
import { optional } from '../../../apis/optional.ts';
import { recordOf } from '../../../apis/record.ts';
import { RefusedError } from '../../../ports/errors.ts';
import { allPages } from '../client/pages.ts';

/** The regions of the Price List service. Each has the prices of its whole partition (C28). */
export function priceListRegion(region: string): string {
  if (region.startsWith('cn-')) return 'cn-northwest-1';
  if (region.startsWith('ap-')) return 'ap-south-1';
  return /^(eu|me|af|il)-/.test(region) ? 'eu-central-1' : 'us-east-1';
}

/**
 * On-demand prices of Linux in USD (CNY in China) per hour, by type. *Cost:* about 12 calls.
 * *Errors:* RefusedError also for partitions without a price list: GovCloud and isolated partitions.
 */
export async function onDemandPrices(client: PricingClient, region: string): Promise<ReadonlyMap<string, number>> {
  if (/^us-(gov|iso|isob|isof)-/.test(region) || region.startsWith('eu-isoe-')) {
    throw new RefusedError(`read on-demand prices: region ${region} has no price list; bundled prices are used`);
  }
  const lists = await Promise.all([
    listProducts(client, region, { tenancy: 'Shared', productFamily: 'Compute Instance' }),
    // Bare metal has no shared tenancy.
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
        ...optional({ NextToken: token }),
      }),
    );
    // Text, or the SDK's own string type.
    const products: unknown = answer.PriceList;
    return { items: Array.isArray(products) ? products.map(String) : [], next: answer.NextToken };
  });
}

/** *Shape:* type and price of one product in JSON; empty where it has no hourly price, such as upfront fees and free tiers. */
function priceOf(product: string): readonly (readonly [string, number])[] {
  const parsed = parsedOrNothing(product);
  const type = at(parsed, ['product', 'attributes', 'instanceType']);
  const offers = Object.values(recordOf(at(parsed, ['terms', 'OnDemand'])));
  const dimensions = offers.flatMap((offer) => Object.values(recordOf(at(offer, ['priceDimensions']))));
  const prices = dimensions
    .filter((dimension) => at(dimension, ['unit']) === 'Hrs')
    .map((dimension) => Number(at(dimension, ['pricePerUnit', 'USD']) ?? at(dimension, ['pricePerUnit', 'CNY'])));
  const price = prices.find((each) => each > 0);
  return typeof type !== 'string' || price === undefined ? [] : [[type, price]];
}

/** An unreadable entry costs one price, not all of them. */
function parsedOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => recordOf(inner)[key], value);
}
