import { describe, expect, test } from 'vitest';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { observeOtherAutoscalers } from '../../../lib/controllers/observe/observe-other-autoscalers.ts';
import { guarded } from '../../../lib/controllers/run/guard.ts';
import type { ControllerPorts, RunReport } from '../../../lib/controllers/run/ports.ts';
import type { AutoscalerTraces } from '../../../lib/core/cluster/other-autoscalers.ts';
import type { Decision } from '../../../lib/core/model/decision.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import { withFaults } from '../../../lib/simulator/faults.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { aDeployment, coreDns, coreDnsBudget, someManifests } from '../../builders/cluster-manifests.ts';
import { aRunReport } from '../../builders/decisions.ts';
import { NOW_MS } from '../../builders/times.ts';
import {
  aKarpenterDeployment,
  aKarpenterLease,
  KARPENTER_TRACES,
  NO_TRACES,
  OWN_TRACES,
} from '../../core/cluster/autoscaler-traces.ts';
import { UNUSED } from '../../operator/messages.ts';
import { EVENTS, expectAllGone, expectOneInstanceAClaim, live } from '../life.ts';

const NO_POOLS = { listAutoModePools: async () => [] };

/** Karpenter is active between two times, counted from the start. */
function karpenterBetween(fromMs: number, toMs: number, calls: string[]) {
  return (ports: ControllerPorts): ControllerPorts => {
    const startMs = ports.clock.now();
    const isThere = () => ports.clock.now() >= startMs + fromMs && ports.clock.now() < startMs + toMs;
    const withKarpenter = {
      ...ports,
      cluster: { ...ports.cluster, findOtherAutoscalers: async () => (isThere() ? KARPENTER_TRACES : OWN_TRACES) },
    };
    return withFaults(withKarpenter, ({ method }) => {
      if (isThere()) calls.push(method);
      return undefined;
    });
  };
}

/** The calls of the guard and of standby. Wakes are hints and change nothing. */
const ALLOWED = new Set([
  'cluster.findOtherAutoscalers',
  'cloud.autoMode',
  'store.isOnStandby',
  'store.setStandby',
  'messages.publish',
  'messages.wake',
  // These belong to the account, not to the cluster.
  'catalogue.readCatalogue',
  'store.findNodeClaim',
]);

describe('a cluster in which Karpenter is active for ten minutes', () => {
  test.each([
    ['while the first claims are launched', 1_500],
    ['while nodes run, one is interrupted and all pods are scaled to zero', 3 * MINUTE_MS + 30 * SECOND_MS],
    ['while the last nodes are removed', 15 * MINUTE_MS + 20 * SECOND_MS],
  ])('does not change during this time, and settles afterwards: %s', async (_, fromMs) => {
    const calls: string[] = [];
    const wrapPorts = karpenterBetween(fromMs, fromMs + 10 * MINUTE_MS, calls);
    // The last event keeps the simulation running while Karpenter is active.
    const events = [...EVENTS, { kind: 'deletePod', atMs: 30 * MINUTE_MS, pod: 'none' } as const];
    const scenario = { name: 'standby', events };
    const result = await live({ wrapPorts, scenario, durationMs: 90 * MINUTE_MS });
    expect(calls.filter((method) => !ALLOWED.has(method))).toEqual([]);
    expect(calls).toContain('store.setStandby');
    const standby = result.timeline.filter((entry) => entry.kind === 'blocked' && entry.reason === 'KarpenterActive');
    expect(standby.length).toBeGreaterThan(0);
    expectOneInstanceAClaim(result);
    expectAllGone(result);
  });
});

describe('signs of Karpenter that a user of one namespace can create', () => {
  const forged: AutoscalerTraces = {
    ...OWN_TRACES,
    leases: [aKarpenterLease({ namespace: 'team-a', renewedAtMs: NOW_MS + 100 * 365 * DAY_MS })],
    deployments: [aKarpenterDeployment({ namespace: 'team-a' }), aKarpenterDeployment({ ready: 0 })],
  };

  test('do not stop a drain after a spot warning, nor anything else', async () => {
    const forge = (ports: ControllerPorts): ControllerPorts => ({
      ...ports,
      cluster: { ...ports.cluster, findOtherAutoscalers: async () => forged },
    });
    const result = await live({ wrapPorts: forge });
    const warnedAt = result.timeline.findIndex((entry) => entry.kind === 'scenario');
    const drained = result.timeline.slice(warnedAt).filter((entry) => entry.kind === 'evict-pod');
    expect(drained.length).toBeGreaterThan(0);
    expect(result.timeline).toEqual((await live()).timeline);
  });

  test('are part of the report of each run, by name', async () => {
    const cluster = { ...NO_POOLS, findOtherAutoscalers: async () => forged };
    const { otherAutoscalers, ignored } = await observeOtherAutoscalers(
      { cluster, cloud: { autoMode: async () => false }, clock },
      'demo',
    );
    expect(otherAutoscalers).toEqual([]);
    expect(ignored).toMatchObject({ reason: 'UnprovenAutoscaler', numbers: { signs: 3 } });
    expect(ignored?.message).toContain('Deployment team-a/karpenter');
  });
});

/** Karpenter becomes active when the last node is deleted, for an hour, in which the node gets pods again. */
async function filledMeanwhile(cutOff: 'before' | 'after') {
  const wrapPorts = (ports: ControllerPorts): ControllerPorts => {
    const endMs = ports.clock.now() + 80 * MINUTE_MS;
    let isCut = false;
    const isThere = () => isCut && ports.clock.now() < endMs;
    const findOtherAutoscalers = async () => (isThere() ? KARPENTER_TRACES : OWN_TRACES);
    return withFaults({ ...ports, cluster: { ...ports.cluster, findOtherAutoscalers } }, ({ method, args }) => {
      if (isCut || method !== 'store.updateNodeClaim' || !JSON.stringify(args).includes('"deletion"')) return undefined;
      isCut = true;
      return cutOff;
    });
  };
  const events = [
    { kind: 'scale', atMs: 20 * MINUTE_MS, deployment: 'default/web', replicas: 0 },
    { kind: 'scale', atMs: 40 * MINUTE_MS, deployment: 'default/web', replicas: 3 },
    { kind: 'deletePod', atMs: 110 * MINUTE_MS, pod: 'none' },
  ] as const;
  const manifests = someManifests({
    deployments: [coreDns, aDeployment('web', 3)],
    podDisruptionBudgets: [coreDnsBudget],
  });
  const scenario = { name: 'filled meanwhile', events };
  return live({ wrapPorts, manifests, scenario, durationMs: 120 * MINUTE_MS });
}

describe('a decision for a cluster at rest, recorded before Karpenter became active', () => {
  test('is not carried out an hour later on a node with pods', async () => {
    const result = await filledMeanwhile('before');
    expect(result).toMatchObject({ nodesLaunched: 1, nodesAtEnd: 1, podsRunning: 5, podsPending: [] });
  });

  test('that was carried out in part continues as on any node, by the PodDisruptionBudgets', async () => {
    const result = await filledMeanwhile('after');
    const evictions = result.timeline.filter((entry) => entry.kind === 'evict-pod');
    expect(evictions.length).toBeGreaterThan(0);
    for (const eviction of evictions) expect(eviction).not.toHaveProperty('force');
    expect(result).toMatchObject({ nodesLaunched: 2, nodesAtEnd: 1, podsRunning: 5, podsPending: [] });
  });
});

test('standby lasts while the signs of the other autoscaler cannot be read', async () => {
  const calls: string[] = [];
  const unread = (ports: ControllerPorts): ControllerPorts => {
    const fromMs = ports.clock.now() + 5 * MINUTE_MS;
    const guardedPorts = karpenterBetween(4 * MINUTE_MS, 14 * MINUTE_MS, calls)(ports);
    return withFaults(guardedPorts, ({ method }) => {
      const sinceMs = ports.clock.now() - fromMs;
      return method === 'cluster.findOtherAutoscalers' && sinceMs >= 0 && sinceMs < 8 * MINUTE_MS
        ? 'before'
        : undefined;
    });
  };
  expectAllGone(await live({ wrapPorts: unread }));
  expect(calls.filter((call) => !ALLOWED.has(call))).toEqual([]);
});

const clock = { now: () => NOW_MS };

test('if EKS does not answer, this is reported, and the NodePools of Auto Mode are used', async () => {
  const cloud = { autoMode: async () => await Promise.reject(new UnreachableError('EKS did not answer')) };
  const cluster = { listAutoModePools: async () => ['system'], findOtherAutoscalers: async () => NO_TRACES };
  const { otherAutoscalers, unknown } = await observeOtherAutoscalers({ cluster, cloud, clock }, 'demo');
  expect(otherAutoscalers.map(({ reason }) => reason)).toEqual(['AutoModeActive']);
  expect(unknown.map(({ message }) => message)).toEqual(['failed to check for EKS Auto Mode: EKS did not answer']);
});

test('signs that cannot be read are reported, and do not count as another autoscaler', async () => {
  const cluster = { ...NO_POOLS, findOtherAutoscalers: async () => ({ ...NO_TRACES, unread: ['leases: 403'] }) };
  const cloud = { autoMode: async () => false };
  const { otherAutoscalers, unknown } = await observeOtherAutoscalers({ cluster, cloud, clock }, 'demo');
  expect(otherAutoscalers).toEqual([]);
  expect(unknown.map(({ message }) => message)).toEqual(['failed to check for other autoscalers: leases: 403']);
});

/** Runs of one process. Karpenter is active unless `isAlone`. */
function onStandby() {
  const state = { busFails: true, isAlone: false, published: new Array<string>() };
  const reconcile = guarded('termination', async (_, { cluster }) => aRunReport({ cluster }));
  const store = memoryNodeClaimStore();
  const publish = async ({ blocked: [first] }: Decision): Promise<void> => {
    if (state.busFails) throw new UnreachableError('no bus');
    state.published.push(first?.reason ?? '');
  };
  const cluster = { findOtherAutoscalers: async () => (state.isAlone ? OWN_TRACES : KARPENTER_TRACES) };
  const cloud = { autoMode: async () => false };
  const ports: ControllerPorts = Object.create(
    UNUSED,
    Object.getOwnPropertyDescriptors({
      cluster,
      cloud,
      store,
      messages: { publish },
      clock,
      settings: DEFAULT_SETTINGS,
    }),
  );
  return { state, store, run: async (): Promise<RunReport> => reconcile(ports, { cluster: 'demo', reason: 'tick' }) };
}

test('standby begins although it cannot be announced, and a later run announces it once', async () => {
  const { state, store, run } = onStandby();
  const { failures } = await run();
  expect(failures.map(({ message, cause }) => `${message}: ${cause instanceof Error ? cause.message : ''}`)).toEqual([
    expect.stringMatching(/failed to publish decision .*: no bus/),
  ]);
  expect(await store.isOnStandby('demo', NOW_MS)).toBe(true);
  state.busFails = false;
  for (let runs = 0; runs < 2; runs += 1) expect((await run()).failures).toEqual([]);
  expect(state.published).toEqual(['KarpenterActive']);
});

test('standby that has ended is not announced any more', async () => {
  const { state, run } = onStandby();
  await run();
  Object.assign(state, { busFails: false, isAlone: true });
  await run();
  state.isAlone = false;
  await run();
  expect(state.published).toEqual([]);
});
