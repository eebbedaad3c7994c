import { expect, test } from 'vitest';
import type { PodNomination } from '../../lib/core/cluster/nominated-node.ts';
import { DEFAULT_SETTINGS } from '../../lib/core/model/settings.ts';
import { RefusedError, UnreachableError } from '../../lib/ports/errors.ts';
import type { SimulationInput } from '../../lib/simulator/simulation.ts';
import { aDeployment, someManifests } from '../builders/cluster-manifests.ts';
import { expectAllGone, live, SMALL_CATALOGUE } from './life.ts';

/** A life of a cluster, with the nominations that were written. */
async function watched(under: Partial<SimulationInput> = {}) {
  const written: PodNomination[] = [];
  const joined = new Set<string>();
  /** Before the first node joins, and so before the kube-scheduler clears nominations. */
  let early = 0;
  const result = await live({
    manifests: someManifests({ deployments: [aDeployment('web', 40, '900m')] }),
    ...under,
    wrapPorts: (ports) => ({
      ...ports,
      cluster: {
        ...ports.cluster,
        listNodes: async () => {
          const nodes = await ports.cluster.listNodes();
          for (const { metadata } of nodes) joined.add(metadata.name);
          return nodes;
        },
        nominatePod: async (nomination) => {
          const isWritten = await ports.cluster.nominatePod(nomination);
          if (isWritten) written.push(nomination);
          if (isWritten && joined.size === 0) early += 1;
          return isWritten;
        },
      },
    }),
  });
  return { result, written, early };
}

test('B66: every pod of a burst is nominated before its node joins, with one request for each pod', async () => {
  const { result, written, early } = await watched({
    scenario: { name: 'quiet', events: [] },
    durationMs: 10 * 60_000,
  });
  expect(result).toMatchObject({ podsRunning: 40, podsPending: [] });
  expect(new Set(written.slice(0, early).map(({ pod }) => pod.name)).size).toBe(40);
  expect(early).toBe(40);
  expect(result.timeline.filter(({ kind }) => kind === 'create-node-claim').length).toBe(result.nodesAtEnd);
});

/** How often lifecycle wakes provisioning for nominations after the first node has joined, for this number of pods. */
async function wokenForNominations(pods: number): Promise<number> {
  let [woken, hasJoined] = [0, false];
  await live({
    manifests: someManifests({ deployments: [aDeployment('web', pods, '900m')] }),
    scenario: { name: 'quiet', events: [] },
    durationMs: 3 * 60_000,
    wrapPorts: (ports) => ({
      ...ports,
      cluster: {
        ...ports.cluster,
        patchNode: async (target, patch) => {
          hasJoined = true;
          await ports.cluster.patchNode(target, patch);
        },
      },
      messages: {
        ...ports.messages,
        wake: async (target, wake, delayMs) => {
          if (hasJoined && target === 'provisioning' && wake.reason === 'nominations') woken += 1;
          await ports.messages.wake(target, wake, delayMs);
        },
      },
    }),
  });
  return woken;
}

test('B66: while several nodes start, provisioning is woken to write nominations again; one node gets its pods without', async () => {
  expect(await wokenForNominations(1)).toBe(0);
  expect(await wokenForNominations(200)).toBeGreaterThan(2);
});

test('B66: if the removal of a nomination is not written, the next runs replace it, although they need no decision', async () => {
  const written: PodNomination[] = [];
  let lost: PodNomination | undefined;
  await live({
    manifests: someManifests({ deployments: [aDeployment('web', 6, '1900m')] }),
    scenario: { name: 'interruption', events: [{ kind: 'interruptSpot', atMs: 20_000, count: 1 }] },
    catalogue: SMALL_CATALOGUE,
    durationMs: 5 * 60_000,
    wrapPorts: (ports) => ({
      ...ports,
      cluster: {
        ...ports.cluster,
        nominatePod: async (nomination) => {
          if (nomination.before !== undefined && lost === undefined) {
            lost = nomination;
            throw new UnreachableError('no answer');
          }
          const isWritten = await ports.cluster.nominatePod(nomination);
          if (isWritten) written.push(nomination);
          return isWritten;
        },
      },
    }),
  });
  expect(lost).toMatchObject({ before: expect.any(String) });
  const changed = written.filter(({ before }) => before !== undefined);
  expect(changed.map(({ pod, before }) => [pod.name, before])).toContainEqual([lost?.pod.name, lost?.before]);
});

test('B66: without the setting nothing is written', async () => {
  const { written } = await watched({ settings: { ...DEFAULT_SETTINGS, nominatePods: false } });
  expect(written).toEqual([]);
});

test('B66: a cluster lives as long if every nomination is refused, and the refusal is reported once', async () => {
  const result = await live({
    wrapPorts: (ports) => ({
      ...ports,
      cluster: {
        ...ports.cluster,
        nominatePod: async () => {
          throw new RefusedError('403: pods/status');
        },
      },
    }),
  });
  expectAllGone(result);
});
