import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import type { Condition } from '../../../lib/apis/kubernetes.ts';
import type { NodePool } from '../../../lib/apis/node-pool.ts';
import { writeCustom } from '../../../lib/simulator/kubernetes/objects.ts';
import { type OpenSimulation, openSimulation } from '../../../lib/simulator/simulation.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { SMALL_CATALOGUE } from '../../controllers/life.ts';

const { disruption } = aPool().spec;
/** The nodes stay, drifted or not. */
const UNDISRUPTED = aPool({ disruption: { ...disruption, budgets: [{ nodes: '0' }] } });
/** Drifted nodes are replaced, and nodes with pods are not consolidated. */
const ONLY_DRIFT = aPool({ disruption: { ...disruption, consolidationPolicy: 'WhenEmpty' } });

/** A cluster with nodes for a Deployment, which runs on without end. */
function aCluster(over: Partial<Parameters<typeof openSimulation>[0]> = {}): OpenSimulation {
  return openSimulation({
    manifests: someManifests({ deployments: [aDeployment('web', 7)], nodePools: [UNDISRUPTED] }),
    catalogue: SMALL_CATALOGUE,
    seed: 1,
    durationMs: 3 * HOUR_MS,
    goesOn: true,
    ...over,
  });
}

async function advance(simulation: OpenSimulation, durationMs: number): Promise<void> {
  const { timetable } = simulation;
  const untilMs = timetable.now() + durationMs;
  while (timetable.now() < untilMs) await simulation.step();
}

/** The conditions Drifted of the NodeClaims. */
function driftedIn({ state }: OpenSimulation): readonly (Condition | undefined)[] {
  return [...state.nodeClaims.values()].map(({ status }) => status?.conditions?.find(({ type }) => type === 'Drifted'));
}

/** Changes a NodePool as the API server does. */
function edit({ state }: OpenSimulation, change: (nodePool: NodePool) => NodePool): void {
  for (const nodePool of state.nodePools.values()) {
    const { metadata } = nodePool;
    writeCustom(state, state.nodePools, {
      ...change(nodePool),
      metadata: { ...metadata, generation: (metadata.generation ?? 1) + 1 },
    });
  }
}

function withLabels(labels: NonNullable<NodePool['spec']['template']['metadata']>['labels']) {
  return (nodePool: NodePool): NodePool => {
    const template = { ...nodePool.spec.template, metadata: { ...(labels && { labels }) } };
    return { ...nodePool, spec: { ...nodePool.spec, template } };
  };
}

test('D34: after an edit of the NodePool, its NodeClaims have the condition Drifted within a minute, until the edit is undone', async () => {
  const simulation = aCluster();
  await advance(simulation, 10 * MINUTE_MS);
  const nodes = driftedIn(simulation);
  expect(nodes.length).toBeGreaterThan(0);
  expect(nodes.filter(Boolean)).toEqual([]);
  edit(simulation, withLabels({ team: 'a' }));
  await advance(simulation, 70 * SECOND_MS);
  const drifted = { type: 'Drifted', status: 'True', reason: 'NodePoolDrifted' };
  expect(driftedIn(simulation)).toEqual(nodes.map(() => expect.objectContaining(drifted)));
  edit(simulation, withLabels(undefined));
  await advance(simulation, 70 * SECOND_MS);
  expect(driftedIn(simulation)).toEqual(nodes);
});

test('D34, C78: after another AMI is selected, the nodes drift, and a new node does not', async () => {
  const simulation = aCluster();
  await advance(simulation, 10 * MINUTE_MS);
  const before = driftedIn(simulation).length;
  const { state } = simulation;
  for (const nodeClass of state.nodeClasses.values()) {
    const spec = { ...nodeClass.spec, amiSelectorTerms: [{ alias: 'al2023@v20260101' }] };
    const metadata = { ...nodeClass.metadata, generation: 2 };
    writeCustom(state, state.nodeClasses, { ...nodeClass, metadata, spec });
  }
  await advance(simulation, 3 * MINUTE_MS);
  const drifted = { reason: 'AMIDrift', status: 'True' };
  expect(driftedIn(simulation)).toEqual(Array.from({ length: before }, () => expect.objectContaining(drifted)));
  const [nodeName] = state.nodes.keys();
  for (const [name, node] of state.nodes) {
    if (name !== nodeName) continue;
    writeCustom(state, state.nodeClaims, deletedClaim(state, node.spec?.providerID));
  }
  await advance(simulation, 20 * MINUTE_MS);
  const after = driftedIn(simulation);
  expect(after.filter((one) => one === undefined)).toHaveLength(1);
});

function deletedClaim({ nodeClaims }: OpenSimulation['state'], providerID: string | undefined) {
  const found = [...nodeClaims.values()].find(({ status }) => status?.providerID === providerID);
  if (found === undefined) throw new Error('the node has no NodeClaim');
  return { ...found, metadata: { ...found.metadata, deletionTimestamp: '2026-01-01T00:13:00Z' } };
}

test('C78: simulated instances have the subnet and the security groups of their class', async () => {
  const simulation = aCluster();
  await advance(simulation, 10 * MINUTE_MS);
  const [nodeClass] = simulation.state.nodeClasses.values();
  const subnets = nodeClass?.status?.subnets?.map(({ id }) => id) ?? [];
  for (const instance of await simulation.ec2.describeInstances('simulated')) {
    expect(subnets).toContain(instance.subnetId);
    expect(instance.securityGroupIds).toEqual(nodeClass?.status?.securityGroups?.map(({ id }) => id));
  }
  expect.assertions(2 * driftedIn(simulation).length);
});

test('D34: while nothing changes, drift detection writes no record and reads the catalogue twice an hour at most', async () => {
  let [writes, reads] = [0, 0];
  const simulation = aCluster({
    manifests: someManifests({ deployments: [aDeployment('web', 7)], nodePools: [ONLY_DRIFT] }),
    durationMs: 5 * HOUR_MS,
    wrapPorts: (ports) => ({
      ...ports,
      catalogue: {
        ...ports.catalogue,
        readCatalogue: async () => {
          reads += 1;
          return ports.catalogue.readCatalogue();
        },
      },
      store: {
        ...ports.store,
        updateNodeClaim: async (record) => {
          writes += 1;
          return ports.store.updateNodeClaim(record);
        },
      },
    }),
  });
  await advance(simulation, 30 * MINUTE_MS);
  [writes, reads] = [0, 0];
  await advance(simulation, 4 * HOUR_MS);
  expect(driftedIn(simulation).filter(Boolean)).toEqual([]);
  expect(writes).toBe(0);
  expect(reads).toBeLessThanOrEqual(2 * 4 + 1);
});
