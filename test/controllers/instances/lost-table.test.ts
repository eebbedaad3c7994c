import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { launchedFor, live, SMALL_CATALOGUE } from '../life.ts';

const LOST_AFTER_MS = 4 * MINUTE_MS;

/** The table is empty from this time on, as after its loss. */
function losesItsTable(ports: ControllerPorts): ControllerPorts {
  const lostAtMs = ports.clock.now() + LOST_AFTER_MS;
  const empty = memoryNodeClaimStore();
  return {
    ...ports,
    get store() {
      return ports.clock.now() < lostAtMs ? ports.store : empty;
    },
  };
}

/** NodeClaim objects that a user deleted, after removing their finalizers. */
function losesItsObjects(ports: ControllerPorts): ControllerPorts {
  const lostAtMs = ports.clock.now() + LOST_AFTER_MS;
  const lost = losesItsTable(ports);
  const shown = new Set<string>();
  return {
    ...ports,
    get store() {
      return lost.store;
    },
    cluster: {
      ...ports.cluster,
      listNodeClaims: async () =>
        (await ports.cluster.listNodeClaims()).filter(
          ({ metadata }) => ports.clock.now() < lostAtMs || shown.has(metadata.name),
        ),
      applyNodeClaim: async (nodeClaim) => {
        if (ports.clock.now() >= lostAtMs) shown.add(nodeClaim.metadata.name);
        await ports.cluster.applyNodeClaim(nodeClaim);
      },
    },
  };
}

test.each([
  ['with the NodeClaim objects still there', losesItsTable],
  ['with the NodeClaim objects lost too', losesItsObjects],
])('a lost table drains no fleet: its instances are adopted, %s', async (_, wrapPorts) => {
  const events = [{ kind: 'scale', atMs: 20 * MINUTE_MS, deployment: 'default/web', replicas: 0 }] as const;
  const scenario = { name: 'lost table', events };
  const clean = await live({ scenario, durationMs: 15 * MINUTE_MS });
  const result = await live({ scenario, wrapPorts, durationMs: 15 * MINUTE_MS });
  expect(result.timeline.filter(({ kind }) => kind === 'instance-terminated')).toEqual([]);
  expect(launchedFor(result)).toEqual(launchedFor(clean));
  const made = result.timeline.flatMap((entry) =>
    entry.kind === 'create-node-claim' && entry.at * 1_000 > LOST_AFTER_MS ? [entry.nodeClaim] : [],
  );
  expect(made.toSorted()).toEqual(launchedFor(clean).toSorted());

  const whole = await live({ scenario, wrapPorts });
  const ended = whole.timeline.filter((entry) => entry.kind === 'instance-terminated').length;
  expect(whole).toMatchObject({ nodesAtEnd: 0, podsPending: [], ended: 'settled' });
  expect(ended, 'and they are terminated when they are not needed').toBe(launchedFor(clean).length);
});

/** From a time on, each instance has a second one with the same tags, which is older and has no node. */
function doublesInstances(afterMs: number) {
  return (ports: ControllerPorts): ControllerPorts => {
    const lostAtMs = ports.clock.now() + afterMs;
    const empty = memoryNodeClaimStore();
    const isLost = (): boolean => ports.clock.now() >= lostAtMs;
    return {
      ...ports,
      get store() {
        return isLost() ? empty : ports.store;
      },
      cloud: {
        ...ports.cloud,
        describeInstances: async (cluster, ids) => {
          const all = await ports.cloud.describeInstances(cluster, ids);
          if (!isLost() || ids !== undefined) return all;
          return all.flatMap((one) => [
            { ...one, id: one.id.replace('i-', 'i-0'), launchedAtMs: one.launchedAtMs - 1 },
            one,
          ]);
        },
      },
    };
  };
}

test.each([4, 5, 6, 7])(
  'of two instances of a claim without a record, the one with the node is adopted, also %i minutes after the start',
  async (minutes) => {
    const events = [{ kind: 'scale', atMs: 40 * MINUTE_MS, deployment: 'default/web', replicas: 4 }] as const;
    const wrapPorts = doublesInstances(minutes * MINUTE_MS);
    const scenario = { name: 'doubled instances', events };
    const result = await live({ catalogue: SMALL_CATALOGUE, scenario, wrapPorts, durationMs: 35 * MINUTE_MS });
    expect(result.timeline.filter(({ kind }) => kind === 'instance-terminated')).toEqual([]);
  },
);

/** Provisioning runs before the adoption, because EC2 does not list instances for half a minute. */
function adoptsLate(ports: ControllerPorts): ControllerPorts {
  const lost = losesItsTable(ports);
  const lostAtMs = ports.clock.now() + LOST_AFTER_MS;
  return {
    ...ports,
    get store() {
      return lost.store;
    },
    cloud: {
      ...ports.cloud,
      describeInstances: async (cluster, ids) => {
        const sinceMs = ports.clock.now() - lostAtMs;
        if (sinceMs >= 0 && sinceMs < MINUTE_MS / 2) throw new UnreachableError('EC2 does not answer');
        return await ports.cloud.describeInstances(cluster, ids);
      },
    },
  };
}

test('a static NodePool launches no second node for each of its nodes that are not adopted yet', async () => {
  const { featureGates } = DEFAULT_SETTINGS;
  const result = await live({
    settings: { ...DEFAULT_SETTINGS, featureGates: { ...featureGates, staticCapacity: true } },
    manifests: someManifests({ nodePools: [aPool({ replicas: 3 })], deployments: [] }),
    catalogue: SMALL_CATALOGUE,
    scenario: { name: 'static', events: [{ kind: 'deletePod', atMs: 9 * MINUTE_MS, pod: 'none' }] },
    wrapPorts: adoptsLate,
    durationMs: 10 * MINUTE_MS,
  });
  const launched = launchedFor(result);
  const made = result.timeline.flatMap((entry) => (entry.kind === 'create-node-claim' ? [entry.nodeClaim] : []));
  expect(launched).toHaveLength(3);
  expect(made.slice(3).toSorted(), 'adopted').toEqual(launched.toSorted());
});
