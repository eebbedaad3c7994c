import { memoryCallBudget } from '../../lib/simulator/memory-call-budget.ts';
import { memoryCatalogueStore } from '../../lib/simulator/memory-catalogue-store.ts';
import { memoryNodeClaimStore } from '../../lib/simulator/memory-node-claim-store.ts';
import { callBudgetContract } from './call-budget.ts';
import { catalogueStoreContract } from './catalogue-store.ts';
import { nodeClaimStoreContract } from './node-claim-store.ts';

nodeClaimStoreContract('the simulator', async () => ({ store: memoryNodeClaimStore() }));
catalogueStoreContract('the simulator', async () => ({ store: memoryCatalogueStore() }));
callBudgetContract('the simulator', async ({ limitsOf, clock }) => {
  const budget = memoryCallBudget(limitsOf, clock);
  return { budgets: [budget, budget] };
});
