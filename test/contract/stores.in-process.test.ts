import { DynamoDbCallBudget } from '../../lib/providers/dynamodb/call-budget.ts';
import { DynamoDbCatalogueStore } from '../../lib/providers/dynamodb/catalogue-store.ts';
import { DynamoDbDecisionLog } from '../../lib/providers/dynamodb/decision-log.ts';
import { DynamoDbLeases } from '../../lib/providers/dynamodb/leases.ts';
import { DynamoDbNodeClaimStore } from '../../lib/providers/dynamodb/node-claim-store.ts';
import { NOW_MS } from '../builders/times.ts';
import { inProcessTable } from '../fakes/dynamodb/in-process-table.ts';
import { memoryBodies } from '../fakes/memory-bodies.ts';
import { memoryDecisionArchive } from '../fakes/memory-decision-log.ts';
import { callBudgetContract } from './call-budget.ts';
import { catalogueStoreContract } from './catalogue-store.ts';
import { decisionLogContract } from './decisions/decision-log.ts';
import { leasesContract } from './leases.ts';
import { nodeClaimStoreContract } from './node-claim-store.ts';

const NAME = 'DynamoDB in process';
const STANDING = { now: () => NOW_MS };

nodeClaimStoreContract(NAME, async () => ({
  store: new DynamoDbNodeClaimStore({ ...inProcessTable({ clock: STANDING }), bodies: memoryBodies() }),
}));
leasesContract(NAME, async (clock) => {
  const table = inProcessTable({ clock });
  const leases = [new DynamoDbLeases({ ...table, clock }), new DynamoDbLeases({ ...table, clock })] as const;
  return { leases, store: new DynamoDbNodeClaimStore(table) };
});
catalogueStoreContract(NAME, async () => ({
  store: new DynamoDbCatalogueStore({ ...inProcessTable({ clock: STANDING }), region: 'us-east-1' }),
}));
callBudgetContract(NAME, async (world) => {
  const options = { ...inProcessTable(world), ...world, region: 'us-east-1' };
  return { budgets: [new DynamoDbCallBudget(options), new DynamoDbCallBudget(options)] };
});
decisionLogContract(NAME, async () => {
  const archive = memoryDecisionArchive();
  return { log: new DynamoDbDecisionLog({ ...inProcessTable({ clock: STANDING }), archive }), archive };
});
