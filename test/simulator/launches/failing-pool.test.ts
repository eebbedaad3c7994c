import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { NodePool } from '../../../lib/apis/node-pool.ts';
import { shippedCatalogue } from '../../../lib/catalogue/figures.ts';
import type { Fault } from '../../../lib/simulator/faults/fault.ts';
import type { SimulationResult } from '../../../lib/simulator/result.ts';
import { runSimulation, type SimulationInput } from '../../../lib/simulator/simulation.ts';
import { aDeployment, someManifests } from '../../builders/cluster-manifests.ts';
import { aNodePool, asking } from '../../builders/node-pools.ts';
import { decidedAgain } from './decided-again.ts';

/** B71: nodes of the heavier NodePool, whose types are c7g, never register while the fault lasts. Those of the lighter one do. */

const CATALOGUE = shippedCatalogue({ region: 'us-east-1', because: 'the test' });
const BROKEN = CATALOGUE.facts.flatMap(({ name }) => (name.startsWith('c7g.') ? [name] : []));

function poolOf(name: string, family: string, weight: number): NodePool {
  const requirements = [
    asking('karpenter.sh/capacity-type', 'In', 'on-demand'),
    asking('karpenter.k8s.aws/instance-family', 'In', family),
    asking('topology.kubernetes.io/zone', 'In', 'us-east-1a'),
  ];
  return aNodePool({
    name,
    weight,
    requirements,
    disruption: { budgets: [{ nodes: '100%' }], consolidateAfter: 'Never' },
  });
}

function onlyHeavy(name: string, replicas: number) {
  const { metadata, spec } = aDeployment(name, replicas, '1500m');
  const { template } = spec;
  const pods = { ...template, spec: { ...template.spec, nodeSelector: { 'karpenter.sh/nodepool': 'heavy' } } };
  return { metadata, spec: { ...spec, template: pods } };
}

async function simulated(over: Partial<SimulationInput> = {}, pinned = 0): Promise<SimulationResult> {
  return runSimulation({
    manifests: someManifests({
      nodePools: [poolOf('heavy', 'c7g', 50), poolOf('light', 'm7g', 10)],
      deployments: [aDeployment('web', 3, '1500m'), aDeployment('later', 0, '1500m'), onlyHeavy('pinned', pinned)],
    }),
    catalogue: CATALOGUE,
    seed: 1,
    durationMs: 3 * HOUR_MS,
    faults: [broken(24 * HOUR_MS)],
    goesOn: true,
    ...over,
  });
}

function broken(forMs: number): Fault {
  return { id: 1, kind: 'machines', how: 'never-join', percent: 100, instanceTypes: BROKEN, fromMs: 0, forMs };
}

/** Scales the Deployment `later`, by minutes. */
function scaled(...replicas: readonly (readonly [minute: number, replicas: number])[]): Partial<SimulationInput> {
  const events = replicas.map(([minute, count]) => ({
    kind: 'scale' as const,
    atMs: minute * MINUTE_MS,
    deployment: 'default/later',
    replicas: count,
  }));
  return { scenario: { name: 'failing pool', events } };
}

/** When nodes of the NodePool were launched. *Units:* minutes. */
function launches({ timeline }: SimulationResult, pool: string): readonly number[] {
  return timeline.flatMap((one) =>
    one.kind === 'create-node-claim' && one.nodePool === pool ? [Math.floor(one.at / 60)] : [],
  );
}

/** When pods of the Deployment started. *Units:* minutes. */
function started({ timeline }: SimulationResult, deployment: string): readonly number[] {
  return timeline.flatMap((one) =>
    one.kind === 'pod-running' && one.pod.startsWith(`default/${deployment}-`) ? [Math.floor(one.at / 60)] : [],
  );
}

test('B71: pods get nodes of the lighter NodePool after the first nodes of the heavier one have not registered', async () => {
  const result = await simulated();
  // Without the rule, the pods are pending after three hours and FIGURE launches.
  expect(launches(result, 'heavy')).toEqual([0, 0]);
  expect(launches(result, 'light')).toEqual([15, 15]);
  expect(started(result, 'web')).toEqual([15, 15, 15]);
  expect(result.podsPending).toEqual([]);
});

test('B71: a pod that only the failing NodePool can run gets one try after the other, and others do not wait', async () => {
  const result = await simulated(scaled([100, 1]), 1);
  const tries = Array.from({ length: 11 }, (_, index) => 15 * (index + 1));
  expect(launches(result, 'heavy')).toEqual([0, 0, ...tries]);
  expect(started(result, 'later')).toEqual([100]);
  expect(result.podsPending).toMatchObject([{ workload: 'Deployment default/pinned' }]);
});

test('B71: after the pause the failing NodePool is tried again, and used when its nodes register', async () => {
  const faults = [broken(2 * HOUR_MS)];
  const result = await simulated({
    ...scaled([60, 1], [80, 2], [140, 3], [142, 4], [144, 5]),
    faults,
    durationMs: 3 * HOUR_MS,
  });
  expect(launches(result, 'heavy')).toEqual([0, 0, 60, 140, 142, 144]);
  expect(launches(result, 'light')).toEqual([15, 15, 75, 80]);
  expect(started(result, 'later')).toEqual([75, 80, 140, 142, 144]);
});

test('a recorded decision shows why the heavier NodePool gets no nodes, and is decided again in the same way', async () => {
  let seen = 0;
  for (const { again } of await decidedAgain((recording) => simulated({ ...recording, durationMs: 20 * MINUTE_MS }))) {
    const blocked = again.blocked.filter(({ reason }) => reason === 'RegistrationFailing');
    seen += blocked.length;
    expect(blocked.every(({ nodePool }) => nodePool === 'heavy')).toBe(true);
  }
  expect(seen).toBeGreaterThan(0);
});
