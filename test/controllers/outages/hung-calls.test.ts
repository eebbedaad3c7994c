/** A call of EC2 or IAM that hangs for one EC2NodeClass does not stop the others (promise 7). */
import { describe, expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import type { Deployment } from '../../../lib/apis/kubernetes.ts';
import { NODE_POOL } from '../../../lib/apis/labels.ts';
import { around, type PortCall } from '../../../lib/simulator/faults.ts';
import { type OpenSimulation, openSimulation, type SimulationInput } from '../../../lib/simulator/simulation.ts';
import type { TimelineEntry } from '../../../lib/simulator/timeline.ts';
import { aDeployment, aPool, manyNodes, someManifests } from '../../builders/cluster-manifests.ts';
import { aNodeClass } from '../../builders/node-pools.ts';
import { SMALL_CATALOGUE } from '../life.ts';

/** Between two ticks. */
const SCALED_MS = 3 * MINUTE_MS + 20 * SECOND_MS;
const HANGS_FROM_MS = SCALED_MS - 30 * SECOND_MS;
/** Longer than the time limit of a run. */
const HANG_MS = 75 * SECOND_MS;

/** A pool with its own class, and a deployment for it that is scaled from zero to two. */
function partOf(name: string) {
  const pool = aPool();
  const { template } = pool.spec;
  const nodeClassRef = { ...template.spec.nodeClassRef, name };
  const one = aDeployment(name, 0);
  const deployment: Deployment = {
    ...one,
    spec: {
      ...one.spec,
      template: {
        ...one.spec.template,
        spec: { ...one.spec.template.spec, nodeSelector: { [NODE_POOL]: name } },
      },
    },
  };
  const nodeClass = aNodeClass();
  return {
    nodeClass: { ...nodeClass, metadata: { ...nodeClass.metadata, name } },
    nodePool: {
      ...pool,
      metadata: { ...pool.metadata, name },
      spec: { ...pool.spec, template: { ...template, spec: { ...template.spec, nodeClassRef } } },
    },
    deployment,
  };
}

/** Two classes. *Shape:* when instances of the healthy one were launched after its pods were created, and abandoned runs. */
async function play(hangs: (call: PortCall) => boolean) {
  const parts = ['broken', 'healthy', 'also-broken'].map(partOf);
  return playOn(hangs, {
    manifests: someManifests({
      nodePools: parts.map(({ nodePool }) => nodePool),
      nodeClasses: parts.map(({ nodeClass }) => nodeClass),
      deployments: parts.map(({ deployment }) => deployment),
    }),
    scenario: {
      name: 'hung calls',
      events: parts.map(({ deployment }) => ({
        kind: 'scale',
        atMs: SCALED_MS,
        deployment: `default/${deployment.metadata.name}`,
        replicas: 2,
      })),
    },
  });
}

async function playOn(
  hangs: (call: PortCall) => boolean,
  under: Pick<SimulationInput, 'manifests' | 'scenario'>,
  hangMs = HANG_MS,
) {
  const simulation: OpenSimulation = openSimulation({
    ...under,
    catalogue: SMALL_CATALOGUE,
    seed: 1,
    durationMs: SCALED_MS + 4 * MINUTE_MS,
    wrapPorts: (ports) =>
      around(ports, async (call, go) => {
        const atMs = simulation.timetable.now();
        if (atMs >= HANGS_FROM_MS && hangs(call)) await simulation.timetable.wait(hangMs);
        return go();
      }),
  });
  const timeline: TimelineEntry[] = [];
  while ((await simulation.step()) === undefined) timeline.push(...simulation.timeline.take());
  const launchedMs = timeline.flatMap((entry) =>
    entry.kind === 'instance-launched' && entry.nodeClaim.startsWith('healthy')
      ? [entry.at * SECOND_MS - SCALED_MS]
      : [],
  );
  const abandoned = timeline.flatMap((entry) =>
    entry.kind === 'function-failed' && /abandoned/.test(entry.message) ? [entry.message] : [],
  );
  const launches = timeline.filter(({ kind }) => kind === 'instance-launched').length;
  return { launchedMs, launches, abandoned };
}

function isOfBroken({ args: [nodeClass] }: PortCall): boolean {
  return !JSON.stringify(nodeClass).includes('"name":"healthy"');
}

describe('while calls hang', () => {
  test.each([
    ['cloud.resolveNodeClass', isOfBroken],
    ['cloud.ensureInstanceProfile', isOfBroken],
    ['cloud.whyNotAuthorized', isOfBroken],
    ['cloud.removeUnusedInstanceProfiles', () => true],
    ['cloud.removeOldLaunchTemplates', () => true],
    ['cluster.patchNodeClass', isOfBroken],
  ])('in %s, pods of another EC2NodeClass get their nodes, and no run is abandoned', async (method, isHit) => {
    const { launchedMs, abandoned } = await play((call) => call.method === method && isHit(call));
    expect(abandoned).toEqual([]);
    expect(launchedMs.length).toBeGreaterThan(0);
    expect(Math.max(...launchedMs)).toBeLessThan(15 * SECOND_MS);
  });
});

test('while NodeClaims cannot be written, 40 nodes are launched, and no run is abandoned', async () => {
  const scenario = {
    name: 'hung calls',
    events: [{ kind: 'scale', atMs: SCALED_MS, deployment: 'default/web', replicas: 40 }] as const,
  };
  const manifests = manyNodes(0);
  const { abandoned, launches } = await playOn(
    ({ method }) => method === 'cluster.applyNodeClaim',
    { manifests, scenario },
    13 * SECOND_MS,
  );
  expect(abandoned).toEqual([]);
  expect(launches).toBe(40);
});
