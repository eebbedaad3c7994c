import { EC2Client } from '@aws-sdk/client-ec2';
import { PricingClient } from '@aws-sdk/client-pricing';
import type { Catalogue } from '../../core/instance-type/facts.ts';
import { pricedCatalogue } from '../../core/instance-type/offerings/prices.ts';
import { PortError } from '../../ports/errors.ts';
import { awsPricing } from '../../providers/aws/catalogue/aws-pricing.ts';
import { describeCatalogue } from '../../providers/aws/catalogue/describe-catalogue.ts';
import { priceListRegion } from '../../providers/aws/catalogue/price-list.ts';
import { systemClock } from '../lambda/system-clock.ts';
import { readPriceTables } from './price-tables.ts';
import { haveCredentials, regionOf } from './shell-account.ts';

export interface AccountOptions {
  /** @default that of the shell */
  readonly region: string | undefined;
  /** The folder of the figures that are shipped with Kerf. */
  readonly figures: string;
  /** Receives a message if prices cannot be read; the shipped prices are used instead. */
  readonly tell: (note: string) => void;
}

/**
 * Reads the catalogue as the catalogue function does, with the credentials of the shell.
 * *Errors:* OptionError without a region or credentials; those of EC2.
 */
export async function catalogueFromAccount({ region: asked, figures, tell }: AccountOptions): Promise<Catalogue> {
  const ec2 = new EC2Client(asked === undefined ? {} : { region: asked });
  const region = asked ?? (await regionOf(ec2));
  await haveCredentials(ec2, 'without --from account, no credentials are needed');
  const { onDemandUsdPerHour: shipped, branchInterfaces } = readPriceTables(figures, region);
  const pricing = awsPricing({
    region,
    ec2,
    priceList: new PricingClient({ region: priceListRegion(region) }),
    clock: systemClock,
  });
  const notes: string[] = [];
  const orShipped = async <T>(prices: Promise<T>): Promise<T | undefined> => {
    try {
      return await prices;
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      notes.push(`${error.message}: shipped prices are used instead`);
      return undefined;
    }
  };
  const [described, onDemand, spot] = await Promise.all([
    describeCatalogue(ec2, { region, nowMs: systemClock.now(), branchInterfaces }),
    orShipped(pricing.onDemandPrices()),
    orShipped(pricing.spotPrices()),
  ]);
  // Without instance types, prices do not matter.
  for (const note of notes) tell(note);
  return pricedCatalogue(described, { onDemand, spot, previous: undefined, shipped });
}
