import { describe, expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../lib/apis/formats/time.ts';
import type { Pod, PodDisruptionBudget } from '../../lib/apis/kubernetes.ts';
import { DO_NOT_DISRUPT } from '../../lib/apis/labels.ts';
import type { ControllerPorts } from '../../lib/controllers/run/ports.ts';
import type { ClusterEvent } from '../../lib/core/model/event.ts';
import { RefusedError } from '../../lib/ports/errors.ts';
import type { WrapInvocation } from '../../lib/simulator/aws/simulated-lambda.ts';
import { withFaults } from '../../lib/simulator/faults.ts';
import type { SimulationResult } from '../../lib/simulator/result.ts';
import { aDeployment, someManifests } from '../builders/cluster-manifests.ts';
import { aBudget } from '../builders/nodes.ts';
import { live } from './life.ts';

interface Observed {
  readonly result: SimulationResult;
  readonly events: readonly ClusterEvent[];
  /** Lists of PodDisruptionBudgets by termination. */
  readonly lists: number;
  /** Requests of evictions, and decisions of termination on the bus. */
  readonly evictions: number;
  readonly published: number;
  readonly conditions: readonly string[];
}

/** A cluster with three pods and these budgets, whose node is deleted after five minutes; observed for ten more. */
async function drainedUnder(podDisruptionBudgets: readonly PodDisruptionBudget[]): Promise<Observed> {
  const events: ClusterEvent[] = [];
  const conditions = new Set<string>();
  let [lists, evictions, published] = [0, 0, 0];
  const wrapPorts = (ports: ControllerPorts): ControllerPorts => ({
    ...ports,
    cluster: {
      ...ports.cluster,
      publishEvent: async (event) => void events.push(event),
      applyNodeClaim: async (nodeClaim) => {
        const drained = nodeClaim.status?.conditions?.find(({ type }) => type === 'Drained');
        if (drained !== undefined) conditions.add(`${drained.status} ${drained.reason}`);
        await ports.cluster.applyNodeClaim(nodeClaim);
      },
    },
  });
  const wrapInvocation: WrapInvocation = (ports, invocation) =>
    withFaults(ports, ({ method }) => {
      if (invocation.function !== 'termination') return undefined;
      if (method === 'cluster.listPodDisruptionBudgets') lists += 1;
      if (method === 'cluster.evictPod') evictions += 1;
      if (method === 'messages.publish') published += 1;
      return undefined;
    });
  const result = await live({
    manifests: someManifests({ deployments: [aDeployment('web', 3)], podDisruptionBudgets }),
    scenario: { name: 'drain', events: [{ kind: 'deleteNode', atMs: 5 * MINUTE_MS, node: { kind: 'any' } }] },
    durationMs: 15 * MINUTE_MS,
    wrapPorts,
    wrapInvocation,
  });
  return { result, events, lists, evictions, published, conditions: [...conditions] };
}

const WEB = { matchLabels: { app: 'web' } };

function shown({ events }: Observed, kind: string): readonly string[] {
  return events
    .filter(({ regarding }) => regarding.kind === kind)
    .map(({ reason, message }) => `${reason}: ${message}`);
}

describe('a pod that can never be evicted is reported at once, and once', () => {
  test('with the name of its budget, the numbers, and what to do', async () => {
    const observed = await drainedUnder([aBudget({ spec: { selector: WEB, maxUnavailable: 0 } })]);
    expect(shown(observed, 'NodeClaim').filter((text) => text.startsWith('PDB'))).toEqual([
      expect.stringMatching(
        /^PDBNeverMet: pod default\/web-\w+-\w+ can never be evicted: PodDisruptionBudget default\/web \(maxUnavailable: 0\) requires 3 of 3 pods.*; and 2 more pods$/,
      ),
    ]);
    expect(observed.conditions).toContain('Unknown PDBNeverMet');
    expect(observed.result).toMatchObject({ podsRunning: 3 });
  });

  test('its node has an event for the pod', async () => {
    const observed = await drainedUnder([aBudget({ spec: { selector: WEB, minAvailable: '100%' } })]);
    expect(shown(observed, 'Node')).toContainEqual(
      expect.stringMatching(
        /^FailedDraining: pod default\/web-\w+-\w+: PodDisruptionBudget default\/web \(minAvailable: 100%\)/,
      ),
    );
  });

  test('if two budgets select it', async () => {
    const [one, two] = ['one', 'two'].map((name) =>
      aBudget({ metadata: { name, namespace: 'default' }, spec: { selector: WEB, maxUnavailable: 1 } }),
    );
    const observed = await drainedUnder([one ?? aBudget(), two ?? aBudget()]);
    const found = shown(observed, 'NodeClaim').filter((text) => text.startsWith('MultiplePDBs'));
    expect(found).toEqual([expect.stringContaining('default/one and default/two both select it')]);
  });
});

describe('PodDisruptionBudgets are read', () => {
  test('at the first refusal, and at most twice a minute', async () => {
    // The drain is refused for ten minutes. A tick and a repetition are two runs.
    const { lists } = await drainedUnder([aBudget({ spec: { selector: WEB, maxUnavailable: 0 } })]);
    expect(lists).toBeGreaterThanOrEqual(9);
    expect(lists).toBeLessThanOrEqual(22);
  });

  test('not if no eviction is refused', async () => {
    const observed = await drainedUnder([aBudget({ spec: { selector: WEB, maxUnavailable: '100%' } })]);
    expect(observed.lists).toBe(0);
    expect(observed.result).toMatchObject({ podsRunning: 3, podsPending: [] });
  });

  test('a budget that is used up for a moment is not reported', async () => {
    const observed = await drainedUnder([aBudget({ spec: { selector: WEB, maxUnavailable: 1 } })]);
    expect(observed.lists).toBeGreaterThan(0);
    expect(shown(observed, 'NodeClaim').filter((text) => /PDB/.test(text))).toEqual([]);
    expect(observed.result).toMatchObject({ podsRunning: 3, podsPending: [] });
  });
});

describe('a drain that a budget holds for ten minutes', () => {
  test('is on the event bus once, and its evictions are sent again less and less often (D23)', async () => {
    const { published, evictions } = await drainedUnder([aBudget({ spec: { selector: WEB, maxUnavailable: 0 } })]);
    expect(published).toBe(1);
    // Without a pause that grows, three pods each 5 s for ten minutes: 360.
    expect(evictions).toBeGreaterThan(60);
    expect(evictions).toBeLessThan(130);
  });
});

test('after the first refusal of a long drain, the eviction is retried within five seconds (D23)', async () => {
  const evictions: number[] = [];
  let heldUntilMs = Infinity;
  await live({
    manifests: someManifests({
      deployments: [aDeployment('web', 1)],
      podDisruptionBudgets: [aBudget({ spec: { selector: WEB, maxUnavailable: 0 } })],
    }),
    scenario: { name: 'drain', events: [{ kind: 'deleteNode', atMs: 5 * MINUTE_MS, node: { kind: 'any' } }] },
    durationMs: 20 * MINUTE_MS,
    wrapPorts: (ports) => {
      heldUntilMs = ports.clock.now() + 13 * MINUTE_MS;
      return {
        ...ports,
        cluster: {
          ...ports.cluster,
          // The drain has nothing to evict for eight minutes: its pod must not be disrupted.
          listPodsOnNode: async (node) => {
            const pods = await ports.cluster.listPodsOnNode(node);
            return ports.clock.now() < heldUntilMs ? pods.map(keptInPlace) : pods;
          },
          evictPod: async (pod) => {
            evictions.push(ports.clock.now());
            return ports.cluster.evictPod(pod);
          },
        },
      };
    },
  });
  const [first = 0, second = 0] = evictions;
  expect(first).toBeGreaterThanOrEqual(heldUntilMs);
  expect(second - first).toBeGreaterThan(0);
  expect(second - first).toBeLessThan(7 * SECOND_MS);
});

function keptInPlace(pod: Pod): Pod {
  const annotations = { ...pod.metadata.annotations, [DO_NOT_DISRUPT]: 'true' };
  return { ...pod, metadata: { ...pod.metadata, annotations } };
}

test('a drain continues before the next tick although what was found cannot be recorded', async () => {
  const evictions: number[] = [];
  const failures: string[] = [];
  const refused = new RefusedError('the item is refused');
  const result = await live({
    manifests: someManifests({
      deployments: [aDeployment('web', 1)],
      podDisruptionBudgets: [aBudget({ spec: { selector: WEB, maxUnavailable: 0 } })],
    }),
    scenario: { name: 'drain', events: [{ kind: 'deleteNode', atMs: 5 * MINUTE_MS, node: { kind: 'any' } }] },
    durationMs: 10 * MINUTE_MS,
    onFailure: ({ error }) => void failures.push(String(error)),
    wrapPorts: (ports) => ({
      ...ports,
      store: {
        ...ports.store,
        updateNodeClaim: async (record) =>
          record.deletion?.evictionsRefused === undefined
            ? ports.store.updateNodeClaim(record)
            : await Promise.reject(refused),
      },
      cluster: {
        ...ports.cluster,
        evictPod: async (pod) => {
          evictions.push(ports.clock.now());
          return ports.cluster.evictPod(pod);
        },
      },
    }),
  });
  expect(result.podsRunning).toBe(1);
  const pauses = evictions.slice(1).map((atMs, index) => atMs - (evictions[index] ?? 0));
  expect(Math.max(...pauses)).toBeLessThan(35_000);
  expect(failures.filter((text) => text.includes('explain the refused evictions'))).toHaveLength(1);
});
