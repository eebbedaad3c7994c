import { describe, expect, test } from 'vitest';
import type { ClusterManifests } from '../../../lib/apis/cluster-manifests.ts';
import { HOUR_MS, MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { ScenarioEvent } from '../../../lib/apis/scenario/scenario.ts';
import { shippedCatalogue } from '../../../lib/catalogue/figures.ts';
import { whyPod } from '../../../lib/core/explain/why-pod.ts';
import type { Catalogue } from '../../../lib/core/instance-type/facts.ts';
import { withFaults } from '../../../lib/simulator/faults.ts';
import type { SimulationResult } from '../../../lib/simulator/result.ts';
import { runSimulation, type SimulationInput } from '../../../lib/simulator/simulation.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { asking } from '../../builders/node-pools.ts';
import { aStorageClass, aVolumeClaim } from '../../builders/storage.ts';
import { decidedAgain } from './decided-again.ts';

/**
 * B70: a pod with 26 EBS volumes, the most that these types attach. A node of c7g or m7g has a second network interface and attaches 25, which
 * only its CSINode shows: Kerf forgets it with the node.
 */

const NAMES = Array.from({ length: 26 }, (_, index) => `data-${index}`);
const TYPES: ReadonlySet<string> = new Set(['c7g.large', 'm7g.large', 'r7g.large']);
/** A node of r7g has one network interface. */
const attachableVolumes = (instanceType: string): number => (instanceType === 'r7g.large' ? 26 : 25);
const SHIPPED = shippedCatalogue({ region: 'us-east-1', because: 'the test' });
const CATALOGUE: Catalogue = {
  ...SHIPPED,
  facts: SHIPPED.facts.filter(({ name }) => TYPES.has(name)),
  offerings: SHIPPED.offerings.filter(({ type }) => TYPES.has(type)),
};

const DATABASE = /^default\/database-/;

function withManyVolumes(...instanceTypes: readonly string[]): ClusterManifests {
  const plain = aDeployment('database', 1);
  const { template } = plain.spec;
  const volumes = NAMES.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const pods = { ...template, spec: { ...template.spec, volumes } };
  const pool = aPool();
  const { template: ofNodes } = pool.spec;
  const requirements = [
    asking('karpenter.sh/capacity-type', 'In', 'on-demand'),
    asking('node.kubernetes.io/instance-type', 'In', ...instanceTypes),
    asking('topology.kubernetes.io/zone', 'In', 'us-east-1a'),
  ];
  const disruption = { ...pool.spec.disruption, consolidationPolicy: 'WhenEmptyOrUnderutilized' } as const;
  const nodes = { ...ofNodes, spec: { ...ofNodes.spec, requirements } };
  return someManifests({
    nodePools: [{ ...pool, spec: { ...pool.spec, template: nodes, disruption } }],
    deployments: [{ ...plain, spec: { ...plain.spec, template: pods } }, aDeployment('web', 0)],
    persistentVolumeClaims: NAMES.map((name) => aVolumeClaim({ name })),
    storageClasses: [aStorageClass()],
  });
}

async function simulated(over: Partial<SimulationInput>): Promise<SimulationResult> {
  return runSimulation({
    manifests: withManyVolumes('c7g.large', 'm7g.large'),
    catalogue: CATALOGUE,
    attachableVolumes,
    seed: 1,
    durationMs: 20 * MINUTE_MS,
    scenario: { name: 'volumes', events: [] },
    goesOn: true,
    ...over,
  });
}

/** When nodes were launched for the pod. *Units:* minutes. */
function launchesFor(pod: RegExp, { timeline }: SimulationResult): readonly number[] {
  return timeline.flatMap((entry) =>
    entry.kind === 'create-node-claim' && entry.pods.some((one) => pod.test(one)) ? [entry.at / 60] : [],
  );
}

function refusals({ timeline }: SimulationResult): readonly string[] {
  return timeline.flatMap((entry) =>
    entry.kind === 'blocked' && entry.reason === 'LaunchesUnused' ? [entry.subject.name] : [],
  );
}

test('B70: of the nodes for a pod that none of them takes, three are launched at once, and six in the next three hours', async () => {
  const events: readonly ScenarioEvent[] = [
    { kind: 'scale', atMs: 90 * MINUTE_MS, deployment: 'default/web', replicas: 3 },
    { kind: 'scale', atMs: 100 * MINUTE_MS, deployment: 'default/web', replicas: 0 },
  ];
  const result = await simulated({ durationMs: 3 * HOUR_MS, scenario: { name: 'volumes', events } });
  const launches = launchesFor(DATABASE, result);
  const waits = launches.slice(1).map((at, index) => at - (launches[index] ?? 0));
  // Without the brake, there are 86.
  expect(waits.slice(2)).toEqual([2, 4, 8, 16, 32, 60].map((minutes) => expect.closeTo(minutes, 0)));
  expect(Math.max(...waits.slice(0, 2))).toBeLessThan(4);
  expect(result.podsPending).toMatchObject([{ reason: expect.stringMatching(/^9 nodes were launched for it since/) }]);
  // The other pods do not wait.
  const started = result.timeline.flatMap((entry) =>
    entry.kind === 'pod-running' && !DATABASE.test(entry.pod) ? [entry.at / 60] : [],
  );
  expect(started).toHaveLength(3);
  expect(Math.max(...started)).toBeLessThan(92);
});

test('B70: a pod that the third node takes never waits, and consolidation does not try the other types again (B44)', async () => {
  const manifests = withManyVolumes('c7g.large', 'm7g.large', 'r7g.large');
  const result = await simulated({ manifests, durationMs: 24 * HOUR_MS });
  expect(launchesFor(DATABASE, result)).toHaveLength(3);
  expect(result.timeline.filter(({ kind }) => kind === 'evict-pod')).toEqual([]);
  expect(result).toMatchObject({ podsRunning: 1, podsPending: [], nodesAtEnd: 1 });
  expect(refusals(result)).toEqual([]);
});

test('a recorded decision shows why the pod waits, and is decided again in the same way', async () => {
  const seen = { counted: 0, waiting: 0 };
  for (const { again, snapshot, nowMs } of await decidedAgain(simulated)) {
    seen.counted += again.unusedLaunches === undefined ? 0 : 1;
    if (!again.blocked.some(({ reason }) => reason === 'LaunchesUnused')) continue;
    seen.waiting += 1;
    const pod = snapshot.pods.find(({ metadata }) => metadata.name.startsWith('database'));
    expect(pod && whyPod(snapshot, pod, nowMs).reasons).toMatchObject([{ reason: 'LaunchesUnused' }]);
  }
  expect(Math.min(seen.counted, seen.waiting)).toBeGreaterThan(0);
});

/** The calls of the store for unused launches, with the minutes at which they are made. */
function watched(unreachable?: string) {
  const calls: (readonly [string, number])[] = [];
  let startMs: number | undefined;
  const wrapPorts: SimulationInput['wrapPorts'] = (ports) => {
    startMs ??= ports.clock.now();
    const beganMs = startMs;
    return withFaults(ports, ({ method }) => {
      if (method.endsWith('UnusedLaunches')) calls.push([method, (ports.clock.now() - beganMs) / MINUTE_MS]);
      return method === unreachable ? 'before' : undefined;
    });
  };
  return { calls, wrapPorts };
}

describe('the launches that are kept', () => {
  test('are read before another node is launched for a pod, and written when one more is counted', async () => {
    const { calls, wrapPorts } = watched();
    const result = await simulated({ wrapPorts, manifests: withManyVolumes('c7g.large', 'm7g.large', 'r7g.large') });
    const minutesOf = (verb: string) =>
      calls.filter(([method]) => method === `store.${verb}UnusedLaunches`).map(([, minutes]) => Math.floor(minutes));
    // The second node is ready for nine seconds only when the third is launched, on which the pod runs.
    expect(minutesOf('read')).toEqual([1, 2]);
    expect(minutesOf('write')).toEqual([1]);
    expect(result).toMatchObject({ podsRunning: 1 });
  });

  test('are not written if they cannot be read, and no pod waits', async () => {
    const { calls, wrapPorts } = watched('store.readUnusedLaunches');
    const result = await simulated({ wrapPorts });
    expect(calls.filter(([method]) => method.includes('write'))).toEqual([]);
    expect(launchesFor(DATABASE, result).length).toBeGreaterThan(6);
  });
});
