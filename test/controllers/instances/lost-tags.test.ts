import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { ScenarioEvent } from '../../../lib/apis/scenario/scenario.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import { NotOwnedError, UnreachableError } from '../../../lib/ports/errors.ts';
import type { SimulationResult } from '../../../lib/simulator/result.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { expectAllGone, launchedFor, live, SMALL_CATALOGUE } from '../life.ts';

/** An instance without tags between two times, as after a user removed them and later added them again. */
interface Untagged {
  id?: string;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly conditions: Map<string, string>;
  /** The calls that described instances by id. */
  byId: number;
}

function losesTags(world: Untagged) {
  return (ports: ControllerPorts): ControllerPorts => {
    const startMs = ports.clock.now();
    const isUntagged = (id: string): boolean => {
      const sinceMs = ports.clock.now() - startMs;
      return id === world.id && sinceMs >= world.fromMs && sinceMs < world.untilMs;
    };
    return {
      ...ports,
      cluster: {
        ...ports.cluster,
        applyNodeClaim: async (nodeClaim) => {
          for (const { type, status, reason = '' } of nodeClaim.status?.conditions ?? [])
            if (status === 'False') world.conditions.set(type, reason);
          await ports.cluster.applyNodeClaim(nodeClaim);
        },
      },
      cloud: {
        ...ports.cloud,
        describeInstances: async (cluster, ids) => {
          const found = await ports.cloud.describeInstances(cluster, ids);
          world.id ??= found[0]?.id ?? '';
          if (world.id === '') delete world.id;
          if (ids === undefined) return found.filter(({ id }) => !isUntagged(id));
          world.byId += 1;
          return found.map((one) => (isUntagged(one.id) ? { ...one, nodeClaim: '', untagged: true } : one));
        },
        terminate: async (cluster, id) => {
          if (isUntagged(id)) throw new NotOwnedError(`terminate ${id}: it runs without the ownership tags`);
          await ports.cloud.terminate(cluster, id);
        },
      },
    };
  };
}

function untagged(fromMs: number, untilMs: number): Untagged {
  return { fromMs, untilMs, conditions: new Map(), byId: 0 };
}

async function liveWith(lost: Untagged, events: readonly ScenarioEvent[]): Promise<SimulationResult> {
  const scenario = { name: 'lost tags', events };
  return live({ catalogue: SMALL_CATALOGUE, scenario, wrapPorts: losesTags(lost), durationMs: 90 * MINUTE_MS });
}

const EMPTY: ScenarioEvent = { kind: 'scale', atMs: 10 * MINUTE_MS, deployment: 'default/web', replicas: 0 };

test('an instance that lost its tags is reported, and is removed after it has them again', async () => {
  const lost = untagged(5 * MINUTE_MS, 40 * MINUTE_MS);
  // The second event keeps the simulation going until then.
  const result = await liveWith(lost, [EMPTY, { ...EMPTY, atMs: 41 * MINUTE_MS }]);
  expect(lost.conditions.get('ConsistentStateFound')).toBe('InstanceNotTagged');
  const deleted = result.timeline.flatMap((entry) => (entry.kind === 'delete-node-claim' ? [entry] : []));
  expect(deleted.map(({ reason }) => reason)).toEqual(['empty']);
  expect(deleted[0]?.at).toBeGreaterThan(40 * 60);
  expect(launchedFor(result)).toHaveLength(1);
  expectAllGone(result);
});

test('a deleted claim whose instance lost its tags is kept until the instance can be terminated', async () => {
  const lost = untagged(5 * MINUTE_MS, 40 * MINUTE_MS);
  const result = await liveWith(lost, [{ kind: 'deleteNode', atMs: 6 * MINUTE_MS, node: { kind: 'any' } }, EMPTY]);
  expect(lost.conditions.get('InstanceTerminating')).toBe('InstanceNotTagged');
  const ended = result.timeline.flatMap((entry) =>
    entry.kind === 'instance-terminated' && entry.instanceId === lost.id ? [entry.at] : [],
  );
  expect(ended[0]).toBeGreaterThan(40 * 60);
  expectAllGone(result);
});

test('instances are not read by id while EC2 lists all of them', async () => {
  const lost = untagged(Infinity, Infinity);
  const result = await liveWith(lost, []);
  expect(result.nodesAtEnd).toBe(1);
  expect(lost.byId).toBe(0);
});

/** Between two times, no instance has its tags, and EC2 does not answer reads. */
function losesAllTags(seen: {
  readonly untilMs: number;
  readonly reasons: Set<string>;
  requests: number;
  events: number;
}) {
  return (ports: ControllerPorts): ControllerPorts => {
    const startMs = ports.clock.now();
    const isLost = (): boolean => {
      const sinceMs = ports.clock.now() - startMs;
      return sinceMs >= 5 * MINUTE_MS && sinceMs < seen.untilMs;
    };
    return {
      ...ports,
      cluster: {
        ...ports.cluster,
        applyNodeClaim: async (nodeClaim) => {
          for (const { type, reason = '' } of nodeClaim.status?.conditions ?? [])
            if (type === 'InstanceTerminating' && isLost()) seen.reasons.add(reason);
          await ports.cluster.applyNodeClaim(nodeClaim);
        },
        publishEvent: async (event) => {
          if (event.reason === 'ActionRefused') seen.events += 1;
          await ports.cluster.publishEvent(event);
        },
      },
      cloud: {
        ...ports.cloud,
        describeInstances: async (cluster, ids) => {
          if (isLost()) throw new UnreachableError('describe instances: EC2 did not answer');
          return ports.cloud.describeInstances(cluster, ids);
        },
        terminate: async (cluster, id) => {
          if (!isLost()) return ports.cloud.terminate(cluster, id);
          seen.requests += 1;
          throw new NotOwnedError(`terminate ${id}: it runs without the ownership tags`);
        },
      },
    };
  };
}

test('while EC2 answers no reads, the node of an instance that lost its tags counts in the budget (E7)', async () => {
  const seen = { untilMs: 20 * MINUTE_MS, reasons: new Set<string>(), requests: 0, events: 0 };
  const result = await live({
    manifests: someManifests({
      nodePools: [
        aPool({ disruption: { budgets: [{ nodes: '1' }], consolidateAfter: '0s', consolidationPolicy: 'WhenEmpty' } }),
      ],
      deployments: [aDeployment('web', 4, '20')],
    }),
    catalogue: SMALL_CATALOGUE,
    scenario: { name: 'lost tags, not seen', events: [{ ...EMPTY, atMs: 6 * MINUTE_MS }] },
    wrapPorts: losesAllTags(seen),
  });
  const deleted = result.timeline.flatMap((entry) => (entry.kind === 'delete-node-claim' ? [entry.at] : []));
  expect(
    deleted.filter((at) => at < 20 * 60),
    'one node of the budget',
  ).toHaveLength(1);
  expect(seen.requests).toBeGreaterThan(1);
  expect([...seen.reasons]).toEqual(['InstanceNotTagged']);
  expect(seen.events, 'reported once').toBe(1);
  expectAllGone(result);
  const [first] = result.timeline.flatMap((entry) => (entry.kind === 'instance-terminated' ? [entry.at] : []));
  expect(first, 'within a poll').toBeLessThan(20 * 60 + 60);
});
