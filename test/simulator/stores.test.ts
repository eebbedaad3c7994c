import { expect, test } from 'vitest';
import { DynamoDbCatalogueStore } from '../../lib/providers/dynamodb/catalogue-store.ts';
import { DynamoDbLeases } from '../../lib/providers/dynamodb/leases.ts';
import { DynamoDbNodeClaimStore } from '../../lib/providers/dynamodb/node-claim-store.ts';
import { expectAllGone, live, SMALL_CATALOGUE } from '../controllers/life.ts';
import { inProcessTable } from '../fakes/dynamodb/in-process-table.ts';
import { memoryBodies } from '../fakes/memory-bodies.ts';

test('a simulation over the table has the same timeline as over stores in memory', async () => {
  const inMemory = await live({ catalogue: SMALL_CATALOGUE });
  const overTable = await live({
    catalogue: SMALL_CATALOGUE,
    stores: (clock) => {
      const table = inProcessTable({ clock });
      return {
        store: new DynamoDbNodeClaimStore({ ...table, bodies: memoryBodies() }),
        leases: new DynamoDbLeases({ ...table, clock }),
        catalogue: new DynamoDbCatalogueStore({ ...table, region: 'us-east-1' }),
      };
    },
  });
  expectAllGone(overTable);
  expect(overTable.timeline).toEqual(inMemory.timeline);
});
