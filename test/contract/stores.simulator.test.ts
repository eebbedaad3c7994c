import { memoryCatalogueStore } from '../../lib/simulator/memory-catalogue-store.ts';
import { memoryNodeClaimStore } from '../../lib/simulator/memory-node-claim-store.ts';
import { catalogueStoreContract } from './catalogue-store.ts';
import { nodeClaimStoreContract } from './node-claim-store.ts';

nodeClaimStoreContract('the simulator', async () => ({ store: memoryNodeClaimStore() }));
catalogueStoreContract('the simulator', async () => ({ store: memoryCatalogueStore() }));
