/** Nodes of Kerf on a real API server: a record, an instance of the simulated EC2, and a Node that lifecycle registers. */
import { expect, vi } from 'vitest';
import { INITIALIZED } from '../../lib/apis/labels.ts';
import { UNREGISTERED_TAINT } from '../../lib/apis/taints.ts';
import { instanceOf, type NodeClaimRecord, providerIdOf } from '../../lib/core/model/node-claim-record.ts';
import { aFleet, claimSpec, launchedClaim } from '../builders/node-claims.ts';
import { MINUTE } from '../builders/times.ts';
import { callApi, succeed } from '../cluster/support/api-client.ts';
import { COLLECTIONS } from '../cluster/support/resources.ts';
import { at, listAt } from '../stack/json.ts';
import { CLUSTER, type KerfInProcess } from './kerf-in-process.ts';
import { type FakeNode, nodeManifest, readiness } from './node-objects.ts';

const SOON = { timeout: 60_000, interval: 1_000 };

/** The label of nodes that has the name of their NodePool from the beginning. */
export const POOL = 'test/pool';

export interface ClaimedNode {
  /** Of the claim and of its node. */
  readonly name: string;
  /** @default general */
  readonly nodePool?: string;
  /** @default no deadline */
  readonly terminationGracePeriod?: string;
}

/** *Shape:* when all nodes are initialized. */
export async function createClaimedNodes(kerf: KerfInProcess, nodes: readonly ClaimedNode[]): Promise<void> {
  for (const node of nodes) await launch(kerf, node);
  const isInitialized = async ({ name }: ClaimedNode): Promise<boolean> =>
    (await recordOf(kerf, name)).initializedAtMs !== undefined;
  await vi.waitFor(async () => {
    await kerf.wake();
    const missing: string[] = [];
    for (const node of nodes) if (!(await isInitialized(node))) missing.push(node.name);
    expect(missing, `nodes without ${INITIALIZED}`).toEqual([]);
  }, SOON);
}

async function launch(kerf: KerfInProcess, node: ClaimedNode): Promise<void> {
  const { name, nodePool = 'general', terminationGracePeriod } = node;
  const outcome = await kerf.cloud.launch({
    ...aFleet(),
    cluster: CLUSTER,
    nodeClaim: name,
    nodePool,
    clientToken: name,
  });
  if (outcome.kind !== 'launched') throw new Error(`${name} was not launched: ${outcome.message}`);
  const spec = claimSpec(terminationGracePeriod === undefined ? {} : { terminationGracePeriod });
  // A minute after its launch, an instance that EC2 does not list is gone.
  const createdAtMs = Date.now() - 2 * MINUTE;
  await kerf.store.createNodeClaim(launchedClaim({ name, nodePool, spec, createdAtMs }, outcome.instances[0]));
  const providerId = providerIdOf(outcome.instances[0]);
  await createNode({ name, providerId, taints: [UNREGISTERED_TAINT], labels: { [POOL]: nodePool } });
}

/** A Node that is Ready. */
export async function createNode(node: FakeNode): Promise<void> {
  await succeed({ method: 'POST', path: '/api/v1/nodes', body: nodeManifest(node) });
  await succeed({
    method: 'PATCH',
    path: `/api/v1/nodes/${node.name}/status`,
    headers: { 'content-type': 'application/strategic-merge-patch+json' },
    body: { status: { conditions: [readiness(true, new Date())] } },
  });
}

export async function recordOf({ store }: KerfInProcess, name: string): Promise<NodeClaimRecord> {
  const record = await store.readNodeClaim(CLUSTER, name);
  if (record === undefined) throw new Error(`no record of NodeClaim ${name}`);
  return record;
}

/** When EC2 was asked to terminate the instance; undefined while it runs. */
export async function endOf(kerf: KerfInProcess, name: string): Promise<number | undefined> {
  const id = instanceOf(await recordOf(kerf, name))?.id;
  return kerf.cloud.instances().find((instance) => instance.id === id)?.endedAtMs;
}

/** Whether instance, node, NodeClaim and record of the claim are gone. */
export async function isGone(kerf: KerfInProcess, name: string): Promise<boolean> {
  if ((await recordOf(kerf, name)).releasedAtMs === undefined || (await endOf(kerf, name)) === undefined) return false;
  const paths = [`/api/v1/nodes/${name}`, `${COLLECTIONS.NodeClaim}/${name}`];
  const answers = await Promise.all(paths.map(async (path) => await callApi({ method: 'GET', path })));
  return answers.every(({ status }) => status === 404);
}

/** A condition of the NodeClaim object. */
export async function conditionOf(name: string, type: string): Promise<unknown> {
  const { body } = await callApi({ method: 'GET', path: `${COLLECTIONS.NodeClaim}/${name}` });
  return listAt(body, 'status', 'conditions').find((condition) => at(condition, 'type') === type);
}
