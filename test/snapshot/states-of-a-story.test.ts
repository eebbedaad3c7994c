import { beforeAll, describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../lib/apis/formats/time.ts';
import type { ScenarioEvent } from '../../lib/apis/scenario/scenario.ts';
import { shippedCatalogue } from '../../lib/catalogue/figures.ts';
import { observeCluster } from '../../lib/controllers/observe/observe-cluster.ts';
import { readings } from '../../lib/controllers/observe/readings.ts';
import type { ControllerPorts } from '../../lib/controllers/run/ports.ts';
import { disrupt } from '../../lib/core/disruption/disrupt.ts';
import type { ClusterSnapshot } from '../../lib/core/model/cluster-snapshot.ts';
import { provision } from '../../lib/core/provisioning/provision.ts';
import { runSimulation } from '../../lib/simulator/simulation.ts';
import { readSnapshot } from '../../lib/snapshot/read-snapshot.ts';
import { snapshotText } from '../../lib/snapshot/write-snapshot.ts';
import { aCapacityBuffer, aPodTemplate } from '../builders/capacity-buffers.ts';
import { aDeployment, aPool, coreDns, coreDnsBudget, someManifests } from '../builders/cluster-manifests.ts';
import { aReservation } from '../builders/launch-context.ts';
import { anOverlay } from '../builders/node-overlays.ts';
import { aNodeClass } from '../builders/node-pools.ts';

/** Snapshots that controllers observe during a simulation, written and read again. */

interface State {
  readonly snapshot: ClusterSnapshot;
  readonly nowMs: number;
}

const pool = aPool();
const { template } = pool.spec;
const dense = aNodeClass();

/** Two NodePools with different variants of the same types: by NodeClass, and by a NodeOverlay. */
const manifests = someManifests({
  nodePools: [
    pool,
    {
      ...aPool({
        weight: 10,
        limits: { cpu: '6' },
        template: {
          ...template,
          spec: { ...template.spec, nodeClassRef: { ...template.spec.nodeClassRef, name: 'dense' } },
        },
      }),
      metadata: { name: 'dense' },
    },
    {
      ...aPool({
        template: {
          ...template,
          spec: { ...template.spec, nodeClassRef: { ...template.spec.nodeClassRef, name: 'missing' } },
        },
      }),
      metadata: { name: 'broken' },
    },
  ],
  nodeClasses: [
    aNodeClass(),
    {
      ...dense,
      metadata: { name: 'dense' },
      spec: { ...dense.spec, kubelet: { maxPods: 8, kubeReserved: { cpu: '200m' } } },
    },
  ],
  deployments: [aDeployment('web', 6), aDeployment('late', 0), coreDns, aDeployment('huge', 1, '500')],
  podDisruptionBudgets: [coreDnsBudget],
  nodeOverlays: [
    anOverlay({
      requirements: [{ key: 'karpenter.sh/nodepool', operator: 'In', values: ['general'] }],
      priceAdjustment: '+5%',
    }),
  ],
  capacityBuffers: [aCapacityBuffer(), aCapacityBuffer({ podTemplateRef: { name: 'missing' } }, 'broken')],
  podTemplates: [aPodTemplate()],
});

const events: readonly ScenarioEvent[] = [
  { kind: 'scale', atMs: 4 * MINUTE_MS, deployment: 'default/late', replicas: 4 },
  { kind: 'interruptSpot', atMs: 6 * MINUTE_MS, count: 1 },
  { kind: 'scale', atMs: 9 * MINUTE_MS, deployment: 'default/web', replicas: 0 },
  { kind: 'scale', atMs: 9 * MINUTE_MS, deployment: 'default/late', replicas: 0 },
];

const { facts, ...shipped } = shippedCatalogue({ region: 'us-east-1', because: 'the test' });
/** Only the families of the NodePools, to save time. */
const catalogue = { ...shipped, facts: facts.filter(({ name }) => /^[cm]7g\./.test(name)) };

/** The cluster is observed when a run reads the epoch and when a claim is created, for each new combination of claim states. */
async function statesOfStory(): Promise<readonly State[]> {
  const states: State[] = [];
  const seen = new Set<string>();
  const observe = async (ports: ControllerPorts, cluster: string): Promise<void> => {
    const claims = await ports.store.listNodeClaims(cluster);
    const commands = await ports.store.listCommands(cluster);
    const all = claims.map(({ launch, deletion, registeredAtMs }) => [launch.kind, deletion, registeredAtMs]);
    const key = JSON.stringify([commands.length, all]);
    if (seen.has(key)) return;
    seen.add(key);
    const epoch = await ports.store.readEpoch(cluster);
    const snapshot = await observeCluster(ports, cluster, { instanceTypes: () => true, epoch, readings: readings() });
    states.push({ snapshot, nowMs: ports.clock.now() });
  };
  const wrapPorts = (ports: ControllerPorts): ControllerPorts => ({
    ...ports,
    store: {
      ...ports.store,
      readEpoch: async (cluster) => {
        await observe(ports, cluster);
        return await ports.store.readEpoch(cluster);
      },
      createNodeClaim: async (record) => {
        await ports.store.createNodeClaim(record);
        await observe(ports, record.cluster);
      },
    },
  });
  await runSimulation({
    manifests,
    scenario: { name: 'story', events },
    catalogue,
    capacityReservations: [aReservation({ instanceType: 'c7g.large', zone: 'us-east-1a', availableInstances: 2 })],
    seed: 1,
    durationMs: 15 * MINUTE_MS,
    wrapPorts,
  });
  return states;
}

describe('a snapshot during a simulation', () => {
  let states: readonly State[] = [];
  beforeAll(async () => {
    states = await statesOfStory();
  }, 30_000);

  test('is taken in every state', () => {
    const some = (what: (snapshot: ClusterSnapshot) => boolean) =>
      states.filter(({ snapshot }) => what(snapshot)).length;
    expect({
      planned: some(({ nodeClaims }) => nodeClaims.some(({ launch }) => launch.kind === 'planned')) > 0,
      launched: some(({ nodeClaims }) => nodeClaims.some(({ launch }) => launch.kind === 'launched')) > 0,
      going: some(({ nodeClaims }) => nodeClaims.some(({ deletion }) => deletion !== undefined)) > 0,
      commands: some(({ commands }) => commands.length > 0) > 0,
      nominated: some(({ nominated }) => nominated.length > 0) > 0,
      unavailable: some(({ unavailable }) => unavailable.length > 0) > 0,
      buffers: some(({ bufferPods = [] }) => bufferPods.length > 0) > 0,
      unusable: some(({ nodePools }) => nodePools.some(({ unusable }) => unusable !== undefined)) > 0,
      ignored: some(({ ignoredObjects = [] }) => ignoredObjects.length > 0) > 0,
    }).toEqual({
      planned: true,
      launched: true,
      going: true,
      commands: true,
      nominated: true,
      unavailable: true,
      buffers: true,
      unusable: true,
      ignored: true,
    });
  });

  test('is plain data that JSON can represent', () => {
    for (const { snapshot } of states) expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot);
  });

  test('gives the same decisions of provisioning and disruption after it is written and read again', () => {
    const decided = { provisioning: 0, disruption: 0 };
    for (const { snapshot, nowMs } of states) {
      const text = snapshotText(snapshot, nowMs);
      const again = readSnapshot({ readText: () => text }, { path: 'snapshot.json', nowMs: 0 });
      const context = { decisionId: 'decision-1', nowMs };
      const { schedule: _, ...provisioned } = provision(snapshot, context);
      const { schedule: __, ...provisionedAgain } = provision(again.snapshot, { ...context, nowMs: again.nowMs });
      expect(JSON.stringify(provisionedAgain)).toBe(JSON.stringify(provisioned));
      const disrupted = disrupt(snapshot, context);
      expect(JSON.stringify(disrupt(again.snapshot, context))).toBe(JSON.stringify(disrupted));
      expect(snapshotText(again.snapshot, again.nowMs)).toBe(text);
      expect(again.snapshot).toEqual(snapshot);
      decided.provisioning += provisioned.actions.length;
      decided.disruption += disrupted.actions.length;
    }
    expect(Math.min(decided.provisioning, decided.disruption)).toBeGreaterThan(0);
  });
});
