import { expect, test } from 'vitest';
import { renominatePods } from '../../../lib/controllers/act/renominate-pods.ts';
import { reportedRefusals } from '../../../lib/controllers/act/reported-refusals.ts';
import type { PodNomination } from '../../../lib/core/cluster/nominated-node.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import { simulatedCluster } from '../../../lib/simulator/kubernetes/simulated-cluster.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { pendingPod } from '../../builders/pods.ts';
import { NOW_MS } from '../../builders/times.ts';
import { clusterWith } from '../../simulator/kubernetes/cluster-with.ts';

const joined = (name: string): NodeClaimRecord =>
  launchedClaim({ name, pods: [`default/pod-of-${name}`], nodeName: `node-${name}` }, { id: `i-${name}` });

/** The reason of a batch with a wake of lifecycle. */
const WAKE = { cluster: 'demo', reason: 'webhook+nominations' };

/** Two nodes start, each with a pod. */
async function world(names: readonly string[] = ['a', 'b']) {
  const clock = { now: () => NOW_MS };
  const pods = names.map((name) => pendingPod({ name: `pod-of-${name}` }));
  const state = clusterWith({ nodes: [], pods });
  const cluster = simulatedCluster(state, clock);
  const written: string[] = [];
  let lists = 0;
  const store = memoryNodeClaimStore();
  for (const name of names) await store.createNodeClaim(joined(name));
  const ports = {
    settings: DEFAULT_SETTINGS,
    clock,
    refusals: reportedRefusals(),
    store,
    cluster: {
      ...cluster,
      listUnboundPods: async () => {
        lists += 1;
        return cluster.listUnboundPods();
      },
      nominatePod: async (nomination: PodNomination) => {
        written.push(`${nomination.pod.name} → ${nomination.node ?? '-'}`);
        return cluster.nominatePod(nomination);
      },
    },
  };
  return { ports, written, lists: () => lists };
}

test('B66: nominations that pods have lost are written again, once', async () => {
  const { ports, written } = await world();
  expect(await renominatePods(ports, WAKE)).toEqual([]);
  expect(written).toEqual(['pod-of-a → node-a', 'pod-of-b → node-b']);
  await renominatePods(ports, WAKE);
  expect(written).toHaveLength(2);
});

test('B66: where at most one node starts, pods are not listed', async () => {
  const { ports, written, lists } = await world(['a']);
  await renominatePods(ports, WAKE);
  expect([written, lists()]).toEqual([[], 0]);
});

test('B66: a wake that no node has caused reads nothing', async () => {
  const { ports, written, lists } = await world();
  const store = { ...ports.store, listNodeClaims: () => Promise.reject(new UnreachableError('a list')) };
  expect(await renominatePods({ ...ports, store }, { cluster: 'demo', reason: 'webhook+tick' })).toEqual([]);
  expect([written, lists()]).toEqual([[], 0]);
});

test('B66: without the setting and in shadow, nothing is read', async () => {
  for (const setting of [{ nominatePods: false }, { shadow: true }]) {
    const { ports, written, lists } = await world();
    await renominatePods({ ...ports, settings: { ...DEFAULT_SETTINGS, ...setting } }, WAKE);
    expect([written, lists()]).toEqual([[], 0]);
  }
});

test('B66: what cannot be read is reported, and fails no run', async () => {
  const { ports } = await world();
  const failing = {
    ...ports,
    store: {
      ...ports.store,
      listNodeClaims: async () => {
        throw new UnreachableError('the table does not answer');
      },
    },
  };
  const [failure] = await renominatePods(failing, WAKE);
  expect(failure?.message).toBe('nominate nodes for pods again: the table does not answer');
});
