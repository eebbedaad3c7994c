/** Wires the catalogue function, which reads the instance types and prices of the deployment's region from EC2. */

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PricingClient } from '@aws-sdk/client-pricing';
import type { CataloguePorts } from '../../controllers/catalogue.ts';
import type { Telemetry } from '../../controllers/run/telemetry.ts';
import { awsPricing } from '../../providers/aws/catalogue/aws-pricing.ts';
import { describeCatalogue } from '../../providers/aws/catalogue/describe-catalogue.ts';
import { priceListRegion } from '../../providers/aws/catalogue/price-list.ts';
import { DynamoDbCatalogueStore } from '../../providers/dynamodb/catalogue-store.ts';
import { systemClock } from '../lambda/system-clock.ts';
import { catalogueOptions, type Environment } from '../options/options.ts';
import { telemetryOf } from '../telemetry/telemetry.ts';
import { budgetedEc2 } from './ec2-client.ts';
import { readPriceTables } from './price-tables.ts';
import { SDK_CONNECTIONS } from './sdk-timeouts.ts';

/** *Errors:* OptionError. */
export function wireCatalogue(environment: Environment = process.env): {
  readonly ports: CataloguePorts;
  readonly telemetry: Telemetry;
} {
  const { region, table: tableName, priceFolder } = catalogueOptions(environment);
  const { onDemandUsdPerHour, branchInterfaces } = readPriceTables(priceFolder, region);
  const dynamodb = new DynamoDBClient({ requestHandler: SDK_CONNECTIONS });
  const { client } = budgetedEc2({ dynamodb, tableName, region, config: { requestHandler: SDK_CONNECTIONS } });
  const priceList = new PricingClient({ region: priceListRegion(region), requestHandler: SDK_CONNECTIONS });
  const ports: CataloguePorts = {
    cloud: {
      describeCatalogue: async () => describeCatalogue(client, { region, nowMs: systemClock.now(), branchInterfaces }),
    },
    catalogue: new DynamoDbCatalogueStore({ client: dynamodb, tableName, region }),
    pricing: awsPricing({ region, ec2: client, priceList, clock: systemClock }),
    shippedPrices: onDemandUsdPerHour,
  };
  return { ports, telemetry: telemetryOf('catalogue') };
}
