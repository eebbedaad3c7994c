import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { ownField } from '../../../lib/apis/record.ts';
import type { ScenarioEvent } from '../../../lib/apis/scenario/scenario.ts';
import type { Method } from '../../../lib/core/disruption/method.ts';
import { singleNode } from '../../../lib/core/disruption/methods/single-node.ts';
import { around } from '../../../lib/simulator/faults.ts';
import { aDeployment, someManifests } from '../../builders/cluster-manifests.ts';
import { live, SMALL_CATALOGUE } from '../life.ts';

const FROM_MS = 20 * MINUTE_MS;

/** The minutes of the passes from the 20th minute on, when the pods have run for long. */
async function passes(events: readonly ScenarioEvent[]): Promise<readonly number[]> {
  const times: number[] = [];
  let startMs = Infinity;
  const counted: Method = {
    ...singleNode,
    propose: (world) => {
      if (world.options.packing !== 'first-fit') times.push(world.nowMs);
      return singleNode.propose(world);
    },
  };
  await live({
    manifests: someManifests({ deployments: [aDeployment('web', 2)] }),
    scenario: { name: 'quiet', events },
    catalogue: SMALL_CATALOGUE,
    methods: [counted],
    wrapPorts: (ports) => {
      startMs = ports.clock.now();
      return ports;
    },
  });
  return times.map((ms) => ms - startMs).flatMap((ms) => (ms < FROM_MS ? [] : [Math.floor(ms / MINUTE_MS)]));
}

test('E25: an idle cluster is looked at each minute, and has a pass in the first tick after five minutes', async () => {
  // It keeps the simulation from its end.
  const idle = await passes([{ kind: 'scale', atMs: 59 * MINUTE_MS, deployment: 'default/web', replicas: 2 }]);
  expect(idle.length).toBeGreaterThanOrEqual(6);
  expect(idle.length).toBeLessThanOrEqual(9);
});

test('E25: a pod that is removed causes a pass within the minute', async () => {
  const atMs = 33.5 * MINUTE_MS;
  expect(await passes([{ kind: 'scale', atMs, deployment: 'default/web', replicas: 1 }])).toContain(34);
});

test('an idle cluster lists the NodeClaims each minute, and disruption looks at it each minute', async () => {
  const [lists, looks, leases]: [number[], number[], number[]] = [[], [], []];
  let startMs = Infinity;
  await live({
    manifests: someManifests({ deployments: [aDeployment('web', 2)] }),
    scenario: {
      name: 'quiet',
      events: [{ kind: 'scale', atMs: 59 * MINUTE_MS, deployment: 'default/web', replicas: 2 }],
    },
    catalogue: SMALL_CATALOGUE,
    wrapPorts: (ports) => {
      startMs = ports.clock.now();
      return around(ports, async ({ method, args: [about] }, go) => {
        if (method === 'leases.acquire' && ownField(about, 'work') === 'disruption')
          leases.push(ports.clock.now() - startMs);
        if (/^store\.(?:list|read)NodeClaims$/.test(method)) lists.push(ports.clock.now() - startMs);
        if (method === 'cluster.listDaemonSets') looks.push(ports.clock.now() - startMs);
        return go();
      });
    },
  });
  const idle = (times: readonly number[]): number =>
    times.filter((ms) => ms >= FROM_MS && ms < FROM_MS + 30 * MINUTE_MS).length;
  // Passes, and the ticks of provisioning and termination, list them again every five or six minutes.
  expect(idle(lists)).toBeGreaterThanOrEqual(30);
  expect(idle(lists)).toBeLessThanOrEqual(30 + 6 + 6 + 7);
  // A pass looks twice. The function's own tick has no look, because lifecycle wakes it each minute.
  expect(idle(looks)).toBeGreaterThanOrEqual(30);
  expect(idle(looks)).toBeLessThanOrEqual(30 + 6);
  // In a small cluster, only what has something to write has the lease.
  expect(leases.length).toBeGreaterThan(0);
  expect(idle(leases)).toBe(0);
});
