/** Kubernetes's own garbage collector between a NodePool, its NodeClaims and their nodes: it decides that they go, our finalizers when. */
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { TERMINATION_FINALIZER } from '../../lib/apis/labels.ts';
import { mirrorOf } from '../../lib/core/node-claim/mirror/mirror.ts';
import { registrationPatch } from '../../lib/core/node-claim/registration.ts';
import type { ApiClient } from '../../lib/providers/kubernetes/client/api-client.ts';
import { KubernetesCluster } from '../../lib/providers/kubernetes/kubernetes-cluster.ts';
import type { ControlPlane } from '../../scripts/control-plane.ts';
import { launchedClaim } from '../builders/node-claims.ts';
import { startOwnControlPlane } from '../rig/own-control-plane.ts';
import { adminClient, mergePatch, succeed } from './support/api-client.ts';
import { COLLECTIONS, create, installDefinitions } from './support/resources.ts';
import { aNodePool } from './support/samples.ts';

/** The collector discovers new kinds every 30 s. */
const KNOWN = { timeout: 60_000, interval: 500 };
const SOON = { timeout: 10_000, interval: 100 };
const RECORD = launchedClaim({ nodeName: 'node-1' });

let controlPlane: ControlPlane;
let client: ApiClient;
let cluster: KubernetesCluster;

beforeAll(async () => {
  controlPlane = await startOwnControlPlane();
  await installDefinitions();
  client = adminClient();
  cluster = new KubernetesCluster({ client, clock: { now: () => Date.now() } });
  await theFirstIsCollected();
}, 90_000);
afterEach(async () => {
  await mergePatch('/api/v1/nodes/node-1', { metadata: { finalizers: [] } });
  await cluster.deleteNode('node-1');
  await cluster.removeNodeClaim(RECORD.name);
});
afterAll(async () => {
  client.close();
  await controlPlane.stop();
});

async function theFirstIsCollected(): Promise<void> {
  await setUp();
  await deletePool('Background');
  await vi.waitFor(async () => expect(isGoing(await theClaim())).toBe(true), KNOWN);
  await mergePatch('/api/v1/nodes/node-1', { metadata: { finalizers: [] } });
  await cluster.deleteNode('node-1');
  await cluster.removeNodeClaim(RECORD.name);
}

/** A pool, its claim and its registered node, each owned by the one before. */
async function setUp(): Promise<void> {
  await create(aNodePool());
  const [nodePool] = await cluster.listNodePools();
  await cluster.applyNodeClaim(mirrorOf(RECORD, { nodePool }));
  const body = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } };
  await succeed({ method: 'POST', path: '/api/v1/nodes', body });
  const node = await theNode();
  if (node === undefined) throw new Error('there is no node-1');
  const patch = registrationPatch(RECORD, node, { instanceLabels: {}, mirrorUid: (await theClaim())?.metadata.uid });
  // Of no version: controllers of Kubernetes write to a new node as well.
  await cluster.patchNode({ name: 'node-1' }, patch);
}

async function deletePool(propagationPolicy: 'Background' | 'Foreground' | 'Orphan'): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy };
  await succeed({ method: 'DELETE', path: `${COLLECTIONS.NodePool}/general`, body });
}

const theNode = async () => await cluster.readNode('node-1');
const theClaim = async () => (await cluster.listNodeClaims())[0];

function isGoing(object: { readonly metadata: { readonly deletionTimestamp?: string } } | undefined): boolean {
  return object?.metadata.deletionTimestamp !== undefined;
}

test('kubectl delete nodepool: its claims are deleted, and neither they nor their nodes go before we let them (A1.29)', async () => {
  await setUp();
  await deletePool('Background');
  await vi.waitFor(async () => expect(isGoing(await theClaim())).toBe(true), SOON);
  expect((await theClaim())?.metadata.finalizers).toEqual([TERMINATION_FINALIZER]);
  expect(isGoing(await theNode())).toBe(false);
});

test("… --cascade=foreground: node and claim are deleted at once, Kerf's finalizers keep them, and the pool stays until they are removed", async () => {
  await setUp();
  await deletePool('Foreground');
  await vi.waitFor(async () => expect(isGoing(await theNode())).toBe(true), SOON);
  const [mirror, node] = [await theClaim(), await theNode()];
  expect(mirror?.metadata.finalizers).toContain(TERMINATION_FINALIZER);
  expect(node?.metadata.finalizers).toEqual([TERMINATION_FINALIZER]);
  // A claim that is going is shown as going all the same.
  await cluster.applyNodeClaim(mirrorOf({ ...RECORD, nodeName: 'node-2' }, { mirror }));
  expect(await cluster.listNodePools()).toHaveLength(1);
  await cluster.patchNode({ name: 'node-1' }, { finalizers: [] });
  await cluster.removeNodeClaim(RECORD.name);
  await vi.waitFor(async () => expect(await cluster.listNodePools()).toEqual([]), SOON);
  expect([await theClaim(), await theNode()]).toEqual([undefined, undefined]);
});

test('… --cascade=orphan: claims and nodes stay, and no write to a claim makes the deleted pool its owner again', async () => {
  await setUp();
  await deletePool('Orphan');
  await vi.waitFor(async () => expect(await cluster.listNodePools()).toEqual([]), SOON);
  await cluster.applyNodeClaim(mirrorOf({ ...RECORD, nodeName: 'node-2' }, { mirror: await theClaim() }));
  const claim = await theClaim();
  expect(isGoing(claim)).toBe(false);
  expect(claim?.metadata.ownerReferences ?? []).toEqual([]);
  expect(isGoing(await theNode())).toBe(false);
});

test("a claim whose finalizer was removed deletes its node, which Kerf's finalizer keeps for the drain", async () => {
  await setUp();
  await mergePatch(`${COLLECTIONS.NodeClaim}/${RECORD.name}`, { metadata: { finalizers: [] } });
  await cluster.deleteNodeClaim(RECORD.name);
  await vi.waitFor(async () => expect(isGoing(await theNode())).toBe(true), SOON);
  expect((await theNode())?.metadata.finalizers).toEqual([TERMINATION_FINALIZER]);
  await succeed({ method: 'DELETE', path: `${COLLECTIONS.NodePool}/general` });
});
