import { memoryCatalogueStore } from '../../lib/simulator/memory-catalogue-store.ts';
import { memoryLeases } from '../../lib/simulator/memory-leases.ts';
import { memoryNodeClaimStore } from '../../lib/simulator/memory-node-claim-store.ts';
import { memoryCallBudget } from '../fakes/memory-call-budget.ts';
import { memoryDecisionArchive, memoryDecisionLog } from '../fakes/memory-decision-log.ts';
import { callBudgetContract } from './call-budget.ts';
import { catalogueStoreContract } from './catalogue-store.ts';
import { decisionLogContract } from './decisions/decision-log.ts';
import { leasesContract } from './leases.ts';
import { nodeClaimStoreContract } from './node-claim-store.ts';

nodeClaimStoreContract('the simulator', async () => ({ store: memoryNodeClaimStore() }));
leasesContract('the simulator', async (clock) => {
  const leases = memoryLeases(clock);
  return { leases: [leases, leases], store: memoryNodeClaimStore(leases.isCurrent) };
});
catalogueStoreContract('the simulator', async () => ({ store: memoryCatalogueStore() }));
callBudgetContract('the simulator', async ({ limitsOf, clock }) => {
  const budget = memoryCallBudget(limitsOf, clock);
  return { budgets: [budget, budget] };
});
decisionLogContract('in memory', async () => ({ log: memoryDecisionLog(), archive: memoryDecisionArchive() }));
