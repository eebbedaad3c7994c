import { expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../lib/apis/formats/time.ts';
import type { ControllerPorts } from '../../lib/controllers/run/ports.ts';
import { type Random, randomFrom } from '../../lib/simulator/random.ts';
import type { SimulationResult } from '../../lib/simulator/result.ts';
import { runSimulation, type SimulationInput } from '../../lib/simulator/simulation.ts';
import { CATALOGUE } from '../builders/catalogues.ts';
import { aDeployment, aPool, someManifests } from '../builders/cluster-manifests.ts';
import { aReservation } from '../builders/launch-context.ts';
import { expectAllGone, expectOneInstanceAClaim } from '../controllers/life.ts';
import { samplesOf } from '../samples.ts';
import { CALM_FROM_MS, type Chaos, chaosOf, eventsOf, inChaos, PODS_AT_END } from './launch-chaos.ts';

/** Long enough for everything that began during the faults: a node has 15 minutes to register. */
const SETTLED_AT_MS = CALM_FROM_MS + 25 * MINUTE_MS;

const SEEDS = [13, 22, 36, 46, 49, 50, 64, 73, 242];

test.each(samplesOf(SEEDS, 3))(
  'after any faults (seed %i) each claim has one instance, each instance has a claim, every pod runs, and at the end nothing is left',
  async (seed) => {
    const random = randomFrom(seed);
    const chaos = chaosOf(random);
    const what = JSON.stringify(chaos);
    const run = lifeIn(chaos, random, seed);
    let looks = 0;
    const result = await run.toTheEnd(async (ports) => {
      looks += 1;
      const alive = await ports.cloud.describeInstances('simulated');
      const records = await ports.store.listNodeClaims('simulated');
      const held = records.flatMap(({ launch }) => (launch.kind === 'launched' ? [launch.instance.id] : []));
      expect(alive.map(({ id }) => id).toSorted(), `${what}: each instance has a claim`).toEqual(held.toSorted());
      const pods = await ports.cluster.listPods();
      const running = pods.filter(
        ({ status, metadata }) => status?.phase === 'Running' && metadata.deletionTimestamp === undefined,
      );
      expect(running.length, `${what}: pods running`).toBe(PODS_AT_END);
    });
    expect(looks, 'the settled state was checked').toBe(1);
    expectOneInstanceAClaim(result);
    expectAllGone(result);
  },
);

function lifeIn(chaos: Chaos, random: Random, seed: number) {
  let clear: ControllerPorts | undefined;
  const input: SimulationInput = {
    manifests: someManifests({
      nodePools: [aPoolOf(random.between(0, 2) === 1 ? ['reserved', 'spot', 'on-demand'] : ['spot', 'on-demand'])],
      deployments: [aDeployment('web', random.between(1, 9), '1500m')],
    }),
    scenario: { name: 'chaos', events: eventsOf(random, SETTLED_AT_MS) },
    catalogue: CATALOGUE,
    capacityReservations: [aReservation({ instanceType: 'c7g.large', zone: 'us-east-1a', availableInstances: 2 })],
    seed,
    durationMs: SETTLED_AT_MS + 60 * MINUTE_MS,
    invocations: chaos.invocations,
    wrapPorts: (ports) => {
      clear = ports;
      return inChaos(ports, chaos, random);
    },
  };
  return {
    async toTheEnd(whenSettled: (ports: ControllerPorts) => Promise<void>): Promise<SimulationResult> {
      return runSimulation(input, async ({ kind, at }) => {
        if (kind === 'scenario' && at * SECOND_MS === SETTLED_AT_MS && clear !== undefined) await whenSettled(clear);
      });
    },
  };
}

/** Nodes of two CPUs at most: one claim for each pod. */
function aPoolOf(capacityTypes: readonly string[]) {
  const { template } = aPool().spec;
  const requirements = (template.spec.requirements ?? []).map((one) =>
    one.key === 'karpenter.sh/capacity-type' ? { ...one, values: capacityTypes } : one,
  );
  const small = { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Lt' as const, values: ['3'] };
  return aPool({ template: { ...template, spec: { ...template.spec, requirements: [...requirements, small] } } });
}
