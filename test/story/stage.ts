/** The deployment with its cluster and its account, prepared once for all test files, and its simulated parts. */
import { callApi, read } from '../cluster/support/api-client.ts';
import { COLLECTIONS } from '../cluster/support/resources.ts';
import { at, listAt } from '../stack/json.ts';
import { CATALOGUE, CLUSTER, configureNodes, furnishAccount } from './account.ts';
import { type Machines, playMachines } from './machines.ts';
import { startWebhookFront, type WebhookFront } from './webhook-front.ts';

export interface Stage {
  readonly machines: Machines;
  /** A test closes and starts it to simulate a dead endpoint. */
  front: WebhookFront;
  readonly close: () => Promise<void>;
}

export async function setStage(): Promise<Stage> {
  const front = await startWebhookFront();
  if ((await callApi({ method: 'GET', path: `${COLLECTIONS.NodePool}/general` })).status === 404) {
    await furnishAccount();
    await configureNodes();
  }
  const timing = { bootMs: 1_000, readyMs: 500 };
  const machines = playMachines({ cluster: CLUSTER, facts: CATALOGUE.facts, timing });
  const stage = {
    machines,
    front,
    close: async () => {
      await machines.close();
      await stage.front.close();
    },
  };
  return stage;
}

export async function nodes(): Promise<readonly unknown[]> {
  return listAt(await read('/api/v1/nodes'), 'items');
}

export async function claims(): Promise<readonly unknown[]> {
  return listAt(await read(COLLECTIONS.NodeClaim), 'items');
}

export function isInitialized(node: unknown): boolean {
  return at(node, 'metadata', 'labels', 'karpenter.sh/initialized') === 'true';
}
