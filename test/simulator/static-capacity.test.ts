import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../lib/apis/formats/time.ts';
import { DEFAULT_SETTINGS } from '../../lib/core/model/settings.ts';
import { writeCustom } from '../../lib/simulator/kubernetes/objects.ts';
import { type OpenSimulation, openSimulation } from '../../lib/simulator/simulation.ts';
import { aPool, someManifests } from '../builders/cluster-manifests.ts';
import { aReservation } from '../builders/launch-context.ts';
import { asking } from '../builders/node-pools.ts';
import { SMALL_CATALOGUE } from '../controllers/life.ts';

const SETTINGS = { ...DEFAULT_SETTINGS, featureGates: { ...DEFAULT_SETTINGS.featureGates, staticCapacity: true } };

function aCluster(replicas: number, settings = SETTINGS): OpenSimulation {
  return openSimulation({
    manifests: someManifests({ nodePools: [aPool({ replicas })], deployments: [] }),
    catalogue: SMALL_CATALOGUE,
    seed: 1,
    durationMs: 3 * HOUR_MS,
    goesOn: true,
    settings,
  });
}

async function nodesAfter(simulation: OpenSimulation, durationMs: number): Promise<number> {
  const untilMs = simulation.timetable.now() + durationMs;
  while (simulation.timetable.now() < untilMs) await simulation.step();
  return simulation.state.nodes.size;
}

function scale({ state }: OpenSimulation, replicas: number): void {
  for (const nodePool of state.nodePools.values())
    writeCustom(state, state.nodePools, { ...nodePool, spec: { ...nodePool.spec, replicas } });
}

function deleteFirst({ state }: OpenSimulation, deletionTimestamp: string): void {
  const [claim] = state.nodeClaims.values();
  if (claim === undefined) throw new Error('there is no NodeClaim');
  writeCustom(state, state.nodeClaims, { ...claim, metadata: { ...claim.metadata, deletionTimestamp } });
}

test('D31: a static NodePool keeps its number of nodes, without pods, also when it changes or a node is deleted', async () => {
  const simulation = aCluster(3);
  expect(await nodesAfter(simulation, 5 * MINUTE_MS)).toBe(3);
  scale(simulation, 5);
  expect(await nodesAfter(simulation, 5 * MINUTE_MS)).toBe(5);
  scale(simulation, 2);
  expect(await nodesAfter(simulation, 5 * MINUTE_MS)).toBe(2);
  const before = new Set(simulation.state.nodes.keys());
  deleteFirst(simulation, '2026-01-01T00:15:00Z');
  expect(await nodesAfter(simulation, 10 * MINUTE_MS)).toBe(2);
  expect([...simulation.state.nodes.keys()].filter((name) => before.has(name))).toHaveLength(1);
  expect(await nodesAfter(simulation, HOUR_MS)).toBe(2);
});

test('B59: a static NodePool creates no claims for a used-up reservation, and goes on when an instance is free', async () => {
  const requirements = [
    asking('karpenter.sh/capacity-type', 'In', 'reserved'),
    asking('node.kubernetes.io/instance-type', 'In', 'c7g.large'),
  ];
  const { template } = aPool().spec;
  const ofReservation = { ...template, spec: { ...template.spec, requirements } };
  const simulation = openSimulation({
    manifests: someManifests({ nodePools: [aPool({ replicas: 3, template: ofReservation })], deployments: [] }),
    catalogue: SMALL_CATALOGUE,
    seed: 1,
    durationMs: 3 * HOUR_MS,
    goesOn: true,
    settings: SETTINGS,
    capacityReservations: [aReservation({ instanceType: 'c7g.large', zone: 'us-east-1a', availableInstances: 2 })],
  });
  const claimsAfter = async (durationMs: number) => {
    const nodes = await nodesAfter(simulation, durationMs);
    const created = simulation.timeline.take().filter(({ kind }) => kind === 'create-node-claim').length;
    return { nodes, created };
  };
  expect(await claimsAfter(5 * MINUTE_MS)).toEqual({ nodes: 2, created: 2 });
  expect(await claimsAfter(20 * MINUTE_MS)).toEqual({ nodes: 2, created: 0 });
  deleteFirst(simulation, '2026-01-01T00:25:00Z');
  expect(await claimsAfter(10 * MINUTE_MS)).toEqual({ nodes: 2, created: 1 });
});

test('A1.21: without the feature gate, a static NodePool has no nodes', async () => {
  expect(await nodesAfter(aCluster(3, DEFAULT_SETTINGS), 10 * MINUTE_MS)).toBe(0);
});
