import { describe, expect, test } from 'vitest';
import type { ControllerPorts } from '../../lib/controllers/run/ports.ts';
import type { ClusterEvent } from '../../lib/core/model/event.ts';
import { formatSubject } from '../../lib/core/model/subject.ts';
import type { SimulationResult } from '../../lib/simulator/result.ts';
import { runSimulation, type SimulationInput } from '../../lib/simulator/simulation.ts';
import { aCapacityBuffer, aPodTemplate } from '../builders/capacity-buffers.ts';
import { CATALOGUE } from '../builders/catalogues.ts';
import { aDeployment, someManifests } from '../builders/cluster-manifests.ts';
import { anOverlay } from '../builders/node-overlays.ts';
import { MINUTE } from '../builders/times.ts';

async function simulated(
  manifests: Parameters<typeof someManifests>[0],
  over: Partial<SimulationInput> = {},
): Promise<SimulationResult> {
  return runSimulation({
    manifests: someManifests(manifests),
    catalogue: CATALOGUE,
    seed: 1,
    durationMs: 60 * MINUTE,
    ...over,
  });
}

function launchedTypes({ timeline }: SimulationResult): readonly string[] {
  return timeline.flatMap((entry) => (entry.kind === 'instance-launched' ? [entry.instanceType] : []));
}

function refusals({ timeline }: SimulationResult, subject: string): readonly string[] {
  return timeline.flatMap((entry) =>
    entry.kind === 'blocked' && formatSubject(entry.subject) === subject ? [entry.reason] : [],
  );
}

const LARGE = { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m7g.2xlarge'] } as const;

describe('NodeOverlays affect launches (A4.10)', () => {
  test('an overlay price can make a type the cheapest, and is the price of the node', async () => {
    const dear = await simulated({});
    const cheap = await simulated({ nodeOverlays: [anOverlay({ requirements: [LARGE], price: '0.0001' })] });
    expect(launchedTypes(dear)).not.toContain('m7g.2xlarge');
    expect(launchedTypes(cheap)).toEqual(['m7g.2xlarge']);
    expect(cheap).toMatchObject({ podsRunning: 3 });
    expect(cheap.totalCostUsd).toBeLessThan(dear.totalCostUsd / 10);
  });

  test('pods can request a resource that an overlay adds, and the node has it', async () => {
    const licence = { 'example.com/licence': 2 };
    const web = aDeployment('web', 3);
    const { spec } = web.spec.template;
    const containers = [{ name: 'web', resources: { requests: { cpu: '1', 'example.com/licence': '1' } } }];
    const deployments = [
      { ...web, spec: { ...web.spec, template: { ...web.spec.template, spec: { ...spec, containers } } } },
    ];
    expect(await simulated({ deployments })).toMatchObject({ podsRunning: 0, nodesLaunched: 0 });
    const enlarged = await simulated({ deployments, nodeOverlays: [anOverlay({ capacity: licence })] });
    expect(enlarged).toMatchObject({ podsRunning: 3, nodesLaunched: 2 });
  });

  test('a conflicting overlay gets a condition, and the other one applies (A4.8)', async () => {
    const nodeOverlays = ['a', 'b'].map((name) => anOverlay({ price: '0.5', weight: 1 }, name));
    const result = await simulated({ nodeOverlays });
    expect(refusals(result, 'nodeoverlay a')).toEqual(['Conflict']);
    expect(refusals(result, 'nodeoverlay b')).toEqual([]);
    expect(result).toMatchObject({ podsRunning: 3 });
  });
});

describe('CapacityBuffers reserve capacity (A5.6)', () => {
  const spare = { capacityBuffers: [aCapacityBuffer()], podTemplates: [aPodTemplate()] };

  test('in a cluster without pods the reserved nodes stay: none is deleted and launched again', async () => {
    const result = await simulated({ ...spare, deployments: [] });
    expect(result).toMatchObject({ nodesLaunched: 1, nodesAtEnd: 1, ended: 'settled', podsPending: [] });
    expect(result.actions).not.toHaveProperty('start-disruption');
  });

  test('a buffer whose node is launched says so, also if another run closes and reports the decision', async () => {
    const messages: string[] = [];
    const wrapPorts = (ports: ControllerPorts): ControllerPorts => ({
      ...ports,
      store: {
        ...ports.store,
        closeDecision: async (decision) => {
          await ports.store.closeDecision(decision);
          return 'known';
        },
      },
      cluster: {
        ...ports.cluster,
        patchCapacityBuffer: async (buffer, patch) => {
          messages.push(...(patch.status?.conditions ?? []).flatMap(({ message = '' }) => message));
          await ports.cluster.patchCapacityBuffer(buffer, patch);
        },
      },
    });
    await simulated({ ...spare, deployments: [] }, { wrapPorts, durationMs: 2 * MINUTE });
    expect(messages).toContain('launching nodes for 3 of 3 pods');
  });

  test('new pods use the reserved capacity, which is launched again; when they end, the excess is deleted', async () => {
    const events = [
      { kind: 'scale', atMs: 3 * MINUTE, deployment: 'default/web', replicas: 3 },
      { kind: 'scale', atMs: 5 * MINUTE, deployment: 'default/web', replicas: 0 },
    ] as const;
    const deployments = [aDeployment('web', 0)];
    const result = await simulated({ ...spare, deployments }, { scenario: { name: 'rush', events } });
    expect(result.pendingToRunningSeconds).toMatchObject({ pods: 3 });
    expect(result.pendingToRunningSeconds.max).toBeLessThan(10);
    expect(result.nodesLaunched).toBeGreaterThan(1);
    expect(result.nodesAtEnd).toBeLessThan(result.nodesLaunched);
    expect(result).toMatchObject({ ended: 'settled', podsRunning: 0 });
  });

  test('a buffer follows the replicas of its Deployment (A5.4)', async () => {
    const scalableRef = { apiGroup: 'apps', kind: 'Deployment', name: 'web' };
    const { podTemplateRef: _, replicas: _replicas, ...ours } = aCapacityBuffer().spec;
    const half = { ...aCapacityBuffer(), spec: { ...ours, scalableRef, percentage: 100 } };
    const result = await simulated({ capacityBuffers: [half], deployments: [aDeployment('web', 4)] });
    const asked = result.timeline.flatMap((entry) => (entry.kind === 'create-node-claim' ? entry.pods : []));
    expect(new Set(asked.filter((pod) => pod.includes('capacity-buffer')))).toHaveProperty('size', 4);
    expect(result).toMatchObject({ podsRunning: 4, ended: 'settled' });
  });

  test('a buffer without its PodTemplate gets a condition, and the others apply', async () => {
    const capacityBuffers = [aCapacityBuffer(), aCapacityBuffer({ podTemplateRef: { name: 'missing' } }, 'lost')];
    const result = await simulated({ ...spare, capacityBuffers, deployments: [] });
    expect(refusals(result, 'capacitybuffer default/lost')).toEqual(['PodTemplateNotFound']);
    expect(result).toMatchObject({ nodesAtEnd: 1, ended: 'settled' });
  });

  test('no event is published on their pods (B65)', async () => {
    const events: ClusterEvent[] = [];
    const nominated: unknown[] = [];
    await simulated(
      { ...spare, deployments: [] },
      {
        wrapPorts: (ports) => ({
          ...ports,
          cluster: { ...ports.cluster, publishEvent: async (event) => void events.push(event) },
          store: { ...ports.store, nominate: async (nomination) => void nominated.push(nomination) },
        }),
      },
    );
    expect(events.filter(({ regarding }) => regarding.kind === 'Pod')).toEqual([]);
    expect(nominated).toEqual([]);
  });
});
