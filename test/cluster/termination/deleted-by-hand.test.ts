/**
 * Nodes, NodeClaims and a NodePool of fifty nodes that a user deletes, on a real API server: with pods that do not end, StatefulSets,
 * finalizers of other programs, and volumes. All are deleted at the same time.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { TERMINATION_FINALIZER } from '../../../lib/apis/labels.ts';
import { createClaimedNodes, endOf, isGone, recordOf } from '../../rig/claimed-nodes.ts';
import { endsOnly, type FakeKubelets } from '../../rig/fake-kubelets.ts';
import { FIFTY, type Island } from '../../rig/islands.ts';
import type { KerfInProcess } from '../../rig/kerf-in-process.ts';
import { at, listAt, textAt } from '../../stack/json.ts';
import { callApi, mergePatch, read, succeed } from '../support/api-client.ts';
import { COLLECTIONS, create } from '../support/resources.ts';
import { aNodePool } from '../support/samples.ts';
import { claimPath, createIslands, startDrainRig } from './drain-rig.ts';

const ENDED = { timeout: 60_000, interval: 100 };
/** The garbage collector of Kubernetes discovers new kinds every 30 s. */
const COLLECTED = { timeout: 60_000, interval: 250 };
/** The next poll, and the calls of a run on a busy machine. */
const LATE_MS = 8_000;
const THEIRS = 'example.com/theirs';
const ATTACHMENTS = '/apis/storage.k8s.io/v1/volumeattachments';

const DEADLINE: Island = { name: 'deadline', terminationGracePeriod: '20s', budgets: [{ maxUnavailable: 0 }] };
const IGNORES: Island = {
  name: 'ignores-sigterm',
  terminationGracePeriod: '15s',
  graceSeconds: 3,
  labels: endsOnly('never'),
};
const LATE: Island = { name: 'ends-late', graceSeconds: 8, labels: endsOnly('after-grace') };
const KEPT_POD: Island = { name: 'kept-pod', terminationGracePeriod: '15s', finalizers: [THEIRS] };
const STATEFUL: Island = { name: 'stateful', controller: 'StatefulSet', budgets: [{ maxUnavailable: 1 }] };
const KEPT_NODE: Island = { name: 'kept-node' };
const KEPT_CLAIM: Island = { name: 'kept-claim' };
const BY_NODE: Island = { name: 'by-node', budgets: [{ maxUnavailable: 1 }] };
const VOLUME = { controller: 'none', volumeClaim: 'data', pods: 1 } as const;
const DETACHED: Island = { ...VOLUME, name: 'detached' };
const ATTACHED: Island = { ...VOLUME, name: 'attached', terminationGracePeriod: '20s' };
const BY_CLAIM = [DEADLINE, IGNORES, LATE, KEPT_POD, STATEFUL, KEPT_NODE, KEPT_CLAIM, DETACHED, ATTACHED];
const ISLANDS = [...BY_CLAIM, BY_NODE];

let kerf: KerfInProcess;
let kubelets: FakeKubelets;
let stop: () => Promise<void>;
let callsBefore = 0;
let deletedAtMs = 0;

beforeAll(async () => {
  ({ kerf, kubelets, stop } = await startDrainRig());
  await create({ ...aNodePool(), metadata: { name: 'fifty' } });
  await createClaimedNodes(kerf, FIFTY.nodes);
  await FIFTY.createApp();
  await createIslands(kerf, ISLANDS);
  await vi.waitFor(() => expect(kubelets.ready('fifty')).toBe(FIFTY.nodes.length), ENDED);
  for (const { name } of [DETACHED, ATTACHED]) await attachVolume(name);
  await mergePatch('/api/v1/nodes/kept-node', { metadata: { finalizers: [TERMINATION_FINALIZER, THEIRS] } });
  await mergePatch(claimPath('kept-claim'), { metadata: { finalizers: [TERMINATION_FINALIZER, THEIRS] } });
  kubelets.count();
  callsBefore = kerf.calls().length;
  deletedAtMs = Date.now();
  await succeed({ method: 'DELETE', path: `${COLLECTIONS.NodePool}/fifty` });
  for (const { name } of BY_CLAIM) await succeed({ method: 'DELETE', path: claimPath(name) });
  await succeed({ method: 'DELETE', path: '/api/v1/nodes/by-node' });
  await kerf.wake();
}, 180_000);
afterAll(async () => await stop());

async function attachVolume(nodeName: string): Promise<void> {
  const spec = { attacher: 'ebs.csi.aws.com', nodeName, source: { persistentVolumeName: `pv-${nodeName}` } };
  await succeed({ method: 'POST', path: ATTACHMENTS, body: { metadata: { name: `va-${nodeName}` }, spec } });
}

const gone = async (name: string): Promise<void> =>
  await vi.waitFor(async () => expect(await isGone(kerf, name), name).toBe(true), ENDED);

/** *Shape:* when its instance was terminated, and its deadline. */
async function ended({ name }: Island) {
  const endedAtMs = await vi.waitFor(async () => {
    const end = await endOf(kerf, name);
    if (end === undefined) throw new Error(`the instance of ${name} runs`);
    return end;
  }, ENDED);
  return { endedAtMs, deadlineMs: (await recordOf(kerf, name)).deletion?.deadlineMs ?? Number.NaN };
}

test('D20: a deleted Node is drained, within its budget, and its instance is terminated', async () => {
  await gone('by-node');
  expect(kubelets.leastReady('by-node')).toBeGreaterThanOrEqual(2);
});

describe('D24: at the termination deadline', () => {
  test('pods are deleted that a budget keeps, with their grace period, and not before', async () => {
    const { endedAtMs, deadlineMs } = await ended(DEADLINE);
    const lastPodMs = kubelets.lastSeenMs('deadline', 'deadline');
    expect(lastPodMs).toBeGreaterThan(deadlineMs - 6_000);
    expect(endedAtMs).toBeGreaterThan(deadlineMs - 6_000);
    expect(endedAtMs).toBeLessThan(deadlineMs + LATE_MS);
  });

  test.each([IGNORES, KEPT_POD])(
    'the instance is terminated although its pods have not ended: $name',
    async (island) => {
      const { endedAtMs, deadlineMs } = await ended(island);
      expect(endedAtMs).toBeGreaterThanOrEqual(deadlineMs);
      expect(endedAtMs).toBeLessThan(deadlineMs + LATE_MS);
      await gone(island.name);
    },
  );

  test('D25: … although a volume is attached', async () => {
    const { endedAtMs, deadlineMs } = await ended(ATTACHED);
    expect(endedAtMs).toBeGreaterThanOrEqual(deadlineMs);
    expect(endedAtMs).toBeLessThan(deadlineMs + LATE_MS);
  });
});

test('D25: an instance runs until the volume of its pod is detached', async () => {
  expect(await endOf(kerf, 'detached')).toBeUndefined();
  expect((await recordOf(kerf, 'detached')).deletion?.volumesAwaitedSinceMs).toBeDefined();
  const detachedAtMs = Date.now();
  await succeed({ method: 'DELETE', path: `${ATTACHMENTS}/va-detached` });
  const { endedAtMs } = await ended(DETACHED);
  expect(endedAtMs).toBeGreaterThanOrEqual(detachedAtMs);
  expect(endedAtMs).toBeLessThan(detachedAtMs + LATE_MS);
});

test('a pod that uses its whole grace period is waited for', async () => {
  const { endedAtMs } = await ended(LATE);
  expect(endedAtMs).toBeGreaterThanOrEqual(kubelets.lastSeenMs('ends-late', 'ends-late'));
});

test('the pods of a StatefulSet are evicted in turn, each once, and none is deleted', async () => {
  await gone('stateful');
  expect(kubelets.leastReady('stateful')).toBeGreaterThanOrEqual(2);
  const calls = kerf.calls().filter(({ call }) => call.includes('/pods/stateful-'));
  for (const index of [0, 1, 2]) {
    const evicted = calls.filter(({ call, status }) => call.endsWith(`/stateful-${index}/eviction`) && status === 201);
    expect(evicted).toHaveLength(1);
  }
  expect(calls.filter(({ call }) => call.startsWith('DELETE'))).toEqual([]);
});

test('a finalizer of another program keeps its object only: the instance ends, and Kerf releases the claim once', async () => {
  for (const [name, path, app] of [
    ['kept-node', '/api/v1/nodes/kept-node', claimPath('kept-node')],
    ['kept-claim', claimPath('kept-claim'), '/api/v1/nodes/kept-claim'],
  ] as const) {
    await vi.waitFor(async () => expect((await recordOf(kerf, name)).releasedAtMs).toBeDefined(), ENDED);
    expect(await endOf(kerf, name)).toBeDefined();
    expect(at(await read(path), 'metadata', 'finalizers')).toEqual([THEIRS]);
    expect((await callApi({ method: 'GET', path: app })).status).toBe(404);
    await mergePatch(path, { metadata: { finalizers: [] } });
    await gone(name);
  }
});

test('a deleted NodePool: its fifty nodes are drained at the pace of the budget, and all instances are terminated', async () => {
  await vi.waitFor(async () => {
    const left = listAt(await read(COLLECTIONS.NodeClaim), 'items').filter((claim) =>
      textAt(claim, 'metadata', 'name').startsWith('fifty-'),
    );
    expect(left.filter((claim) => at(claim, 'metadata', 'deletionTimestamp') === undefined)).toEqual([]);
  }, COLLECTED);
  const collectedAtMs = Date.now();
  for (const { name } of FIFTY.nodes) await gone(name);
  const seconds = [collectedAtMs - deletedAtMs, Date.now() - collectedAtMs].map((ms) => (ms / 1_000).toFixed(0));
  const calls = kerf.calls().slice(callsBefore);
  console.log(`fifty nodes: collected after ${seconds[0]} s, gone ${seconds[1]} s later; ${calls.length} requests`);
  expect(kubelets.leastReady('fifty')).toBeGreaterThanOrEqual(40);
  expect(calls.length / (FIFTY.nodes.length + ISLANDS.length)).toBeLessThan(60);
}, 120_000);

test('no right is missing, no run failed, and no instance is left', () => {
  expect(kerf.calls().filter(({ status }) => status === 401 || status === 403)).toEqual([]);
  expect(kerf.failures.filter((text) => text.startsWith('failure'))).toEqual([]);
  expect(kerf.cloud.instances().filter(({ endedAtMs }) => endedAtMs === undefined)).toEqual([]);
});
