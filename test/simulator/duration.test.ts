import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/apis/formats/time.ts';
import type { SimulationResult } from '../../lib/simulator/result.ts';
import { openSimulation, runSimulation, type SimulationInput } from '../../lib/simulator/simulation.ts';
import { aDeployment, aPool, someManifests } from '../builders/cluster-manifests.ts';
import { aReservation } from '../builders/launch-context.ts';
import { asking } from '../builders/node-pools.ts';
import { SMALL_CATALOGUE } from '../controllers/life.ts';

/** The prices of the catalogue, in $ an hour. */
const ON_DEMAND = 0.0725;
const SPOT = 0.02678;

/** A pool with one instance type in one zone. */
function onePool(capacityTypes: readonly string[], expireAfter = '720h') {
  const pool = aPool();
  const { template } = pool.spec;
  const requirements = [
    asking('karpenter.sh/capacity-type', 'In', ...capacityTypes),
    asking('node.kubernetes.io/instance-type', 'In', 'c7g.large'),
    asking('topology.kubernetes.io/zone', 'In', 'us-east-1a'),
  ];
  return aPool({ template: { ...template, spec: { ...template.spec, requirements, expireAfter } } });
}

function inputOf(over: Partial<SimulationInput> = {}): SimulationInput {
  const manifests = someManifests({
    nodePools: [onePool(['on-demand'])],
    deployments: [aDeployment('web', 1)],
  });
  return { manifests, catalogue: SMALL_CATALOGUE, seed: 1, durationMs: 3 * HOUR_MS, goesOn: true, ...over };
}

async function simulated(over: Partial<SimulationInput> = {}): Promise<SimulationResult> {
  return runSimulation(inputOf(over));
}

/** CreateFleet is called in the second or third second. */
const LAUNCHED_WITHIN_SECONDS = 3;

describe('the time of a simulation', () => {
  test('a run with a duration goes on to its end, and the cost counts to the end', async () => {
    const result = await simulated({ durationMs: DAY_MS });
    expect(result).toMatchObject({ ended: 'time', simulatedSeconds: 86_400, nodesLaunched: 1, nodesAtEnd: 1 });
    expect(result.totalCostUsd).toBeLessThan(24 * ON_DEMAND);
    expect(result.totalCostUsd).toBeGreaterThan((24 - LAUNCHED_WITHIN_SECONDS / 3_600) * ON_DEMAND);
    expect(result.usdPerHourAtEnd).toBe(ON_DEMAND);
    // $0.0725 × 730 h.
    expect(result.usdPerMonthAtEnd).toBe(52.93);
    expect(result.usdPerMonthAtThisRate).toBeCloseTo(52.92, 1);
  });

  test('without a duration it ends when only expiry remains, and has what the nodes that remain cost', async () => {
    const result = await simulated({ goesOn: false, durationMs: HOUR_MS });
    expect(result).toMatchObject({ ended: 'settled', nodesAtEnd: 1, usdPerMonthAtEnd: 52.93 });
    expect(result.simulatedSeconds).toBeLessThan(600);
  });

  test('nodes expire and are replaced; both cost while one replaces the other', async () => {
    const manifests = someManifests({
      nodePools: [onePool(['on-demand'], '1h')],
      deployments: [aDeployment('web', 1)],
    });
    const result = await simulated({ manifests, durationMs: 7 * HOUR_MS });
    expect(result).toMatchObject({ nodesLaunched: 7, nodesAtEnd: 1, removedByReason: { expired: 6 } });
    expect(result.evictedByReason).toEqual({ expired: 6 });
    const ended = result.timeline.flatMap((entry) => (entry.kind === 'instance-terminated' ? [entry.costUsd] : []));
    const last = result.timeline.findLast((entry) => entry.kind === 'instance-launched');
    // The instance is noted up to three seconds after its launch.
    const remaining = ((7 * 3_600 - (last?.at ?? 0)) / 3_600) * ON_DEMAND;
    expect(result.totalCostUsd).toBeCloseTo(
      ended.reduce((sum, cost) => sum + cost, remaining),
      3,
    );
    expect(result.totalCostUsd).toBeGreaterThan(7 * ON_DEMAND);
  });

  test('an event near the end of a long run happens', async () => {
    const result = await simulated({
      scenario: {
        name: 'late',
        events: [{ kind: 'scale', atMs: 2 * HOUR_MS, deployment: 'default/web', replicas: 0 }],
      },
    });
    expect(result).toMatchObject({ nodesAtEnd: 0, removedByReason: { empty: 1 }, simulatedSeconds: 3 * 3_600 });
    // 2 h, and the minutes until the empty node is removed.
    expect(result.totalCostUsd).toBeGreaterThan(2 * ON_DEMAND - 0.001);
    expect(result.totalCostUsd).toBeLessThan(2.1 * ON_DEMAND);
  });

  test('a budget that blocks for two hours of the day delays the removal until then', async () => {
    const pool = onePool(['on-demand']);
    const budgets = [{ nodes: '0', schedule: '0 0 * * *', duration: '2h' }, { nodes: '100%' }];
    const nodePools = [{ ...pool, spec: { ...pool.spec, disruption: { ...pool.spec.disruption, budgets } } }];
    const result = await simulated({
      manifests: someManifests({ nodePools, deployments: [aDeployment('web', 1)] }),
      scenario: { name: 'early', events: [{ kind: 'scale', atMs: HOUR_MS, deployment: 'default/web', replicas: 0 }] },
    });
    const removed = result.timeline.find((entry) => entry.kind === 'delete-node-claim');
    expect(removed?.at).toBeGreaterThan(2 * 3_600);
    expect(removed?.at).toBeLessThan(2 * 3_600 + 120);
    expect(result.totalCostUsd).toBeCloseTo(2 * ON_DEMAND, 2);
  });

  test('the figures of the cluster are in the timeline as often as requested', async () => {
    const { timeline } = await simulated({ figuresEveryMs: HOUR_MS });
    const figures = timeline.flatMap((entry) => (entry.kind === 'figures' ? [entry] : []));
    expect(figures.map(({ at }) => at / 3_600)).toEqual([1, 2, 3]);
    expect(figures[1]).toMatchObject({ nodes: 1, podsRunning: 1, podsPending: 0, usdPerHour: ON_DEMAND });
    expect(figures[1]?.costUsd).toBeCloseTo(2 * ON_DEMAND, 3);
  });
});

describe('the price of an instance is that of its launch', () => {
  const manifests = someManifests({
    nodePools: [onePool(['spot', 'on-demand'])],
    deployments: [aDeployment('web', 1)],
  });

  test('spot', async () => {
    const result = await simulated({ manifests });
    expect(result.instances).toMatchObject([{ capacityType: 'spot', usdPerHourEach: SPOT, atEnd: 1 }]);
    expect(result.totalCostUsd).toBeCloseTo(3 * SPOT, 3);
  });

  test('on demand, if there is no spot capacity', async () => {
    const events = [{ kind: 'withoutCapacity' as const, atMs: 0, capacityTypes: ['spot' as const] }];
    const result = await simulated({ manifests, scenario: { name: 'dark', events } });
    expect(result.instances).toMatchObject([{ capacityType: 'on-demand', usdPerHourEach: ON_DEMAND, atEnd: 1 }]);
    expect(result.totalCostUsd).toBeCloseTo(3 * ON_DEMAND, 3);
  });

  test('reserved capacity costs what Kerf counts for it, because the reservation is paid in any case', async () => {
    const result = await simulated({
      manifests: someManifests({ nodePools: [onePool(['reserved'])], deployments: [aDeployment('web', 1)] }),
      capacityReservations: [aReservation({ instanceType: 'c7g.large', zone: 'us-east-1a', availableInstances: 1 })],
    });
    expect(result.instances).toMatchObject([{ capacityType: 'reserved', atEnd: 1 }]);
    expect(result.totalCostUsd).toBeLessThan(0.0001);
  });

  test('an instance that still shuts down at the end cost until it began to, and does not run', async () => {
    const events = [{ kind: 'scale' as const, atMs: HOUR_MS, deployment: 'default/web', replicas: 0 }];
    const whole = await simulated({ scenario: { name: 'end', events } });
    const asked = whole.timeline.find((entry) => entry.kind === 'terminate-instance')?.at ?? 0;
    const result = await simulated({ scenario: { name: 'end', events }, durationMs: (asked + 3) * 1_000 });
    expect(result).toMatchObject({ nodesAtEnd: 0, nodesShuttingDown: 1, totalCostUsd: whole.totalCostUsd });
  });

  test('an instance that was added by hand counts if it is of the cluster, and was not launched', async () => {
    const simulation = openSimulation(inputOf({ durationMs: HOUR_MS }));
    const own = {
      instanceType: 'c7g.large',
      zone: 'us-east-1a',
      capacityType: 'on-demand',
      imageId: 'ami-1',
      priceUsdPerHour: 1,
      nodeClaim: 'general-lost',
      nodePool: 'general',
      nodeClass: 'default',
      state: 'running',
      launchedAtMs: simulation.timetable.now() - HOUR_MS,
    } as const;
    simulation.timetable.after(30 * MINUTE_MS, () => {
      simulation.ec2.addInstance({ ...own, id: 'i-0000000000000f001', cluster: 'simulated' });
      simulation.ec2.addInstance({ ...own, id: 'i-0000000000000f002', cluster: 'other' });
    });
    while ((await simulation.step()) === undefined);
    const ended = simulation.ec2.instances().find(({ id }) => id === 'i-0000000000000f001')?.endedAtMs;
    const ranMs = (ended ?? simulation.endMs) - (simulation.endMs - 30 * MINUTE_MS);
    const result = simulation.summary('time');
    expect(result.nodesLaunched).toBe(1);
    expect(result.totalCostUsd).toBeCloseTo(ON_DEMAND + ranMs / HOUR_MS, 3);
  });
});
