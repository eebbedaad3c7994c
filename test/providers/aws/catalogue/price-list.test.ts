import { GetProductsCommand, PricingClient } from '@aws-sdk/client-pricing';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import { RefusedError, UnreachableError } from '../../../../lib/ports/errors.ts';
import { onDemandPrices, priceListRegion } from '../../../../lib/providers/aws/catalogue/price-list.ts';
import { awsError } from '../aws-error.ts';

const client = new PricingClient({ region: 'us-east-1', maxAttempts: 1 });
const pricing = mockClient(client);

interface Offer {
  readonly unit?: string;
  readonly pricePerUnit?: Readonly<Record<string, string>>;
}

/** As the service answers: a JSON text for each product. */
function product(instanceType: string, { unit = 'Hrs', pricePerUnit = { USD: '0.0960000000' } }: Offer = {}): string {
  const priceDimensions = { 'SKU.OFFER.RATE': { unit, pricePerUnit } };
  return JSON.stringify({
    product: { productFamily: 'Compute Instance', attributes: { instanceType } },
    serviceCode: 'AmazonEC2',
    terms: { OnDemand: { 'SKU.OFFER': { priceDimensions } } },
  });
}

const prices = async (region = 'eu-west-3') => [...(await onDemandPrices(client, region))];

beforeEach(() => {
  pricing.reset();
  pricing.on(GetProductsCommand).resolves({ PriceList: [product('m5.large')] });
});

describe('on-demand prices (C28)', () => {
  test('are those of Linux on shared hardware in the region, and of bare metal', async () => {
    expect(await prices()).toEqual([['m5.large', 0.096]]);
    const asked = pricing
      .commandCalls(GetProductsCommand)
      .map((call) => Object.fromEntries((call.args[0].input.Filters ?? []).map(({ Field, Value }) => [Field, Value])));
    expect(asked).toEqual([
      expect.objectContaining({ regionCode: 'eu-west-3', operatingSystem: 'Linux', tenancy: 'Shared' }),
      expect.objectContaining({ productFamily: 'Compute Instance (bare metal)', tenancy: 'Dedicated' }),
    ]);
  });

  test('are read page by page', async () => {
    pricing
      .on(GetProductsCommand)
      .resolvesOnce({ PriceList: [product('m5.large')], NextToken: '2' })
      .resolves({ PriceList: [product('m5.xlarge', { pricePerUnit: { USD: '0.192' } })] });
    expect(await prices()).toEqual([
      ['m5.large', 0.096],
      ['m5.xlarge', 0.192],
    ]);
  });

  test('in China are in the currency of China', async () => {
    pricing.on(GetProductsCommand).resolves({ PriceList: [product('m5.large', { pricePerUnit: { CNY: '0.7' } })] });
    expect(await prices('cn-north-1')).toEqual([['m5.large', 0.7]]);
  });

  test.each([
    ['a fee that is not by the hour', product('m5.large', { unit: 'Quantity' })],
    ['a price of nothing', product('m5.large', { pricePerUnit: { USD: '0.0000000000' } })],
    ['a product without terms', JSON.stringify({ product: { attributes: { instanceType: 'm5.large' } } })],
    ['a text that is not JSON', '{'],
    ['a list where an object belongs', '[]'],
    ['nothing', 'null'],
  ])('%s is not a price, and does not affect other prices', async (_, text) => {
    pricing.on(GetProductsCommand).resolves({ PriceList: [text, product('m6g.large')] });
    expect(await prices()).toEqual([['m6g.large', 0.096]]);
  });

  test('with endless pages are an error', async () => {
    let page = 0;
    pricing.on(GetProductsCommand).callsFake(() => ({ PriceList: [], NextToken: `${(page += 1)}` }));
    await expect(prices()).rejects.toThrow(/no end after 200 pages/);
  });

  test('are rejected for a partition without a price list, and fail if the service fails', async () => {
    await expect(prices('us-gov-west-1')).rejects.toBeInstanceOf(RefusedError);
    expect(pricing.commandCalls(GetProductsCommand)).toEqual([]);
    pricing.on(GetProductsCommand).rejects(awsError('ThrottlingException', 400));
    await expect(prices()).rejects.toBeInstanceOf(UnreachableError);
  });
});

test.each([
  ['us-east-2', 'us-east-1'],
  ['sa-east-1', 'us-east-1'],
  ['eu-west-3', 'eu-central-1'],
  ['me-south-1', 'eu-central-1'],
  ['ap-northeast-1', 'ap-south-1'],
  ['cn-north-1', 'cn-northwest-1'],
])('prices of %s are read in %s', (region, endpoint) => {
  expect(priceListRegion(region)).toBe(endpoint);
});
