import type { EC2Client } from '@aws-sdk/client-ec2';
import type { PricingClient } from '@aws-sdk/client-pricing';
import type { Clock } from '../../../ports/clock.ts';
import type { Pricing } from '../../../ports/pricing.ts';
import { onDemandPrices } from './price-list.ts';
import { describeSpotPrices } from './spot-prices.ts';

export interface PricingTools {
  readonly region: string;
  readonly ec2: EC2Client;
  /** Of the region that `priceListRegion` names. */
  readonly priceList: PricingClient;
  readonly clock: Clock;
}

/** On-demand prices from the Price List service, spot prices from EC2. */
export function awsPricing({ region, ec2, priceList, clock }: PricingTools): Pricing {
  return {
    onDemandPrices: () => onDemandPrices(priceList, region),
    spotPrices: () => describeSpotPrices(ec2, clock.now()),
  };
}
