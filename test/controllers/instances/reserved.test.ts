import { expect, test } from 'vitest';
import type { ScenarioEvent } from '../../../lib/apis/scenario/scenario.ts';
import { type ClusterSettings, DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { runSimulation } from '../../../lib/simulator/simulation.ts';
import { CATALOGUE } from '../../builders/catalogues.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { aReservation } from '../../builders/launch-context.ts';

const requirements = [
  { key: 'karpenter.sh/capacity-type', operator: 'In' as const, values: ['reserved', 'on-demand'] },
  { key: 'node.kubernetes.io/instance-type', operator: 'In' as const, values: ['c7g.large'] },
  { key: 'topology.kubernetes.io/zone', operator: 'In' as const, values: ['us-east-1a'] },
];

async function launchedWith(
  settings: Partial<ClusterSettings> = {},
  { catalogue = CATALOGUE, free = 2 } = {},
): Promise<readonly string[]> {
  const pool = aPool();
  const { template } = pool.spec;
  const result = await runSimulation({
    manifests: someManifests({
      nodePools: [aPool({ template: { ...template, spec: { ...template.spec, requirements } } })],
      deployments: [aDeployment('web', 3, '1500m')],
    }),
    catalogue,
    capacityReservations: [aReservation({ instanceType: 'c7g.large', zone: 'us-east-1a', availableInstances: free })],
    seed: 1,
    durationMs: 20 * 60_000,
    settings: { ...DEFAULT_SETTINGS, ...settings },
  });
  expect(result).toMatchObject({ podsRunning: 3, podsPending: [] });
  return result.timeline
    .flatMap((entry) => (entry.kind === 'instance-launched' ? [entry.capacityType] : []))
    .toSorted();
}

test('reserved capacity is launched first, and on-demand capacity when it is used up (C30, C31, C43)', async () => {
  expect(await launchedWith()).toEqual(['on-demand', 'reserved', 'reserved']);
});

function scaled(atMs: number, replicas: number): ScenarioEvent {
  return { kind: 'scale', atMs, deployment: 'default/web', replicas };
}

test('instances that were launched after EC2 counted are not planned again: the count is cached for a minute (C31)', async () => {
  const pool = aPool();
  const { template } = pool.spec;
  const { timeline, podsPending } = await runSimulation({
    manifests: someManifests({
      nodePools: [aPool({ template: { ...template, spec: { ...template.spec, requirements } } })],
      deployments: [aDeployment('web', 0, '1500m')],
    }),
    catalogue: CATALOGUE,
    capacityReservations: [aReservation({ instanceType: 'c7g.large', zone: 'us-east-1a', availableInstances: 2 })],
    seed: 1,
    durationMs: 5 * 60_000,
    scenario: { name: 'bursts', events: [scaled(60_000, 2), scaled(90_000, 4)] },
  });
  expect(podsPending).toEqual([]);
  const launched = timeline.flatMap((entry) => (entry.kind === 'instance-launched' ? [entry.capacityType] : []));
  expect(launched).toEqual(['reserved', 'reserved', 'on-demand', 'on-demand']);
  expect(timeline.filter(({ kind }) => kind === 'launch-refused')).toEqual([]);
});

test('F18: with the feature gate off, reservations are not used', async () => {
  const featureGates = { ...DEFAULT_SETTINGS.featureGates, reservedCapacity: false };
  expect(await launchedWith({ featureGates })).toEqual(['on-demand', 'on-demand', 'on-demand']);
});

test.each([
  [true, undefined],
  [false, true],
])('C60: with the feature gate %s, the launch template allows open reservations: %s', async (gate, expected) => {
  const featureGates = { ...DEFAULT_SETTINGS.featureGates, reservedCapacity: gate };
  const allowed: (true | undefined)[] = [];
  await runSimulation({
    manifests: someManifests({ nodePools: [aPool()], deployments: [aDeployment('web', 1, '1500m')] }),
    catalogue: CATALOGUE,
    seed: 1,
    durationMs: 5 * 60_000,
    settings: { ...DEFAULT_SETTINGS, featureGates },
    wrapPorts: (ports) => ({
      ...ports,
      cloud: {
        ...ports.cloud,
        launch: async (request) => {
          allowed.push(...request.templates.map(({ openReservations }) => openReservations));
          return await ports.cloud.launch(request);
        },
      },
    }),
  });
  expect(allowed).toEqual([expected]);
});

test('a type that is sold only in capacity blocks is launched into its reservation (C30)', async () => {
  const offerings = CATALOGUE.offerings.map(({ type, zone, zoneId }) => ({ type, zone, zoneId }));
  const launched = await launchedWith({}, { catalogue: { ...CATALOGUE, offerings }, free: 3 });
  expect(launched).toEqual(['reserved', 'reserved', 'reserved']);
});
