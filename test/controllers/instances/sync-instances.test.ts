import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import type { SimulationResult } from '../../../lib/simulator/result.ts';
import { expectOneClaimAPod, launchedFor, live } from '../life.ts';

/** An event without effect, so that the simulation continues until then. */
const NEWS = { kind: 'scale', atMs: 14 * MINUTE_MS, deployment: 'default/web', replicas: 3 } as const;
const CALM = { scenario: { name: 'calm', events: [NEWS] }, durationMs: 15 * MINUTE_MS };

function deletions(result: SimulationResult): readonly string[] {
  return result.timeline.flatMap((entry) => (entry.kind === 'delete-node-claim' ? [entry.reason] : []));
}

/** The system check of every instance fails from the fifth minute on. */
function withBrokenMachine(ports: ControllerPorts): ControllerPorts {
  const brokenAtMs = ports.clock.now() + 5 * MINUTE_MS;
  const broken = new Set<string>();
  return {
    ...ports,
    cloud: {
      ...ports.cloud,
      describeInstanceHealth: async (ids) => {
        const [first] = ids;
        if (ports.clock.now() < brokenAtMs || first === undefined) return [];
        if (broken.size === 0) broken.add(first);
        return ids.filter((id) => broken.has(id)).map((id) => ({ id, systemImpairedSinceMs: brokenAtMs, events: [] }));
      },
    },
  };
}

test('only an instance that is impaired for two minutes is replaced (C82)', async () => {
  const result = await live({ ...CALM, wrapPorts: withBrokenMachine });
  const calm = await live(CALM);
  // Its pods may get two nodes, which are consolidated.
  expect(deletions(result).filter((reason) => reason !== 'underutilized')).toEqual(['unhealthy']);
  expect(result.podsPending).toEqual([]);
  expectOneClaimAPod(result);
  expect(launchedFor(result).length).toBeGreaterThan(launchedFor(calm).length);
});

test.each([new UnreachableError('EC2 does not answer'), new TypeError('a bug')])(
  'an instance is tagged once, even if other steps of the run fail: %s (C84, promise 7)',
  async (failure) => {
    const tagged: string[] = [];
    const result = await live({
      ...CALM,
      wrapPorts: (ports) => ({
        ...ports,
        cloud: {
          ...ports.cloud,
          describeInstanceHealth: async () => await Promise.reject(failure),
          tagInstance: async (cluster, id, tags) => {
            tagged.push(`${id} ${tags['karpenter.sh/nodeclaim']} ${tags['Name']}`);
            await ports.cloud.tagInstance(cluster, id, tags);
          },
        },
      }),
    });
    const launches = result.timeline.flatMap((entry) => (entry.kind === 'instance-launched' ? [entry] : []));
    const expected = launches.map(({ instanceId, nodeClaim, zone }) => {
      const node = `${instanceId}.${zone.slice(0, -1)}.compute.internal`;
      return `${instanceId} ${nodeClaim} ${node}`;
    });
    expect(tagged.toSorted()).toEqual(expected.toSorted());
  },
);
