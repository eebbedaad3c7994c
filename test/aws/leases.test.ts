import { DynamoDbLeases } from '../../lib/providers/dynamodb/leases.ts';
import { DynamoDbNodeClaimStore } from '../../lib/providers/dynamodb/node-claim-store.ts';
import { leasesContract } from '../contract/leases.ts';
import { DYNAMODB, testTable } from './table.ts';

for (const [name, configuration] of Object.entries(DYNAMODB)) {
  leasesContract(name, async (clock) => {
    const { close, ...table } = await testTable(configuration);
    const leases = [new DynamoDbLeases({ ...table, clock }), new DynamoDbLeases({ ...table, clock })] as const;
    return { leases, store: new DynamoDbNodeClaimStore(table), close };
  });
}
