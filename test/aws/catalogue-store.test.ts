import { DynamoDbCatalogueStore } from '../../lib/providers/dynamodb/catalogue-store.ts';
import { catalogueStoreContract } from '../contract/catalogue-store.ts';
import { testTable } from './table.ts';

catalogueStoreContract('DynamoDB', async () => {
  const { close, ...table } = await testTable();
  return { store: new DynamoDbCatalogueStore({ ...table, region: 'us-east-1' }), close };
});
