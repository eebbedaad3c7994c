import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../lib/apis/formats/time.ts';
import { around } from '../../lib/simulator/faults.ts';
import { openSimulation, type SimulationInput } from '../../lib/simulator/simulation.ts';
import { aDeployment, aPool, someManifests } from '../builders/cluster-manifests.ts';
import { asking } from '../builders/node-pools.ts';
import { SMALL_CATALOGUE } from '../controllers/life.ts';
import { samples } from '../samples.ts';

/** One pod a node: the types of the pool have two CPUs. */
function manyNodes(count: number): SimulationInput['manifests'] {
  const pool = aPool();
  const { template } = pool.spec;
  const requirements = [...template.spec.requirements, asking('karpenter.k8s.aws/instance-cpu', 'Lt', '3')];
  const small = { ...pool.spec, template: { ...template, spec: { ...template.spec, requirements } } };
  return someManifests({ nodePools: [{ ...pool, spec: small }], deployments: [aDeployment('web', count)] });
}

test('834 nodes at once need at most 60 calls of CreateFleet', async () => {
  const count = samples(120, 834);
  const calls = new Map<string, number>();
  const simulation = openSimulation({
    manifests: manyNodes(count),
    catalogue: SMALL_CATALOGUE,
    seed: 1,
    durationMs: 6 * MINUTE_MS,
    wrapPorts: (ports) =>
      around(ports, async (call, go) => {
        calls.set(call.method, (calls.get(call.method) ?? 0) + 1);
        return go();
      }),
  });
  let ended = await simulation.step();
  for (; ended === undefined; ended = await simulation.step()) simulation.timeline.take();
  const { nodesAtPeak, pendingToRunningSeconds } = simulation.summary(ended);
  console.log(
    count,
    nodesAtPeak,
    JSON.stringify(pendingToRunningSeconds),
    [...calls].filter(([m]) => /^(cloud|store)/.test(m)).toSorted((a, b) => b[1] - a[1]),
  );
  expect(nodesAtPeak).toBe(count);
  expect(calls.get('cloud.launch')).toBeLessThanOrEqual(60);
});
