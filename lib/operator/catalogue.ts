/** The catalogue function's wiring: it asks EC2 about a region, of which every cluster of the deployment is. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import type { ControllerPorts } from '../controllers/ports.ts';
import { RefusedError } from '../ports/errors.ts';
import { Ec2CloudProvider } from '../providers/aws/ec2-cloud-provider.ts';
import { DynamoDbCatalogueStore } from '../providers/dynamodb/catalogue-store.ts';
import { catalogueOptions, type Environment } from './options.ts';
import { readPriceTables } from './price-tables.ts';
import { systemClock } from './system-clock.ts';

/** *Errors:* OptionError. */
export function wireCatalogue(environment: Environment = process.env): Pick<ControllerPorts, 'cloud' | 'catalogue'> {
  const { region, table: tableName, priceFolder } = catalogueOptions(environment);
  return {
    cloud: new Ec2CloudProvider({
      client: new EC2Client(),
      region,
      clock: systemClock,
      ...readPriceTables(priceFolder, region),
      describeCluster: async () => await Promise.reject(new RefusedError('the catalogue is of no one cluster')),
    }),
    catalogue: new DynamoDbCatalogueStore({ client: new DynamoDBClient(), tableName, region }),
  };
}
