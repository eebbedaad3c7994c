import { DynamoDbCatalogueStore } from '../../lib/providers/dynamodb/catalogue-store.ts';
import { catalogueStoreContract } from '../contract/catalogue-store.ts';
import { DYNAMODB, testTable } from './table.ts';

for (const [name, configuration] of Object.entries(DYNAMODB)) {
  catalogueStoreContract(name, async () => {
    const { close, ...table } = await testTable(configuration);
    return { store: new DynamoDbCatalogueStore({ ...table, region: 'us-east-1' }), close };
  });
}
