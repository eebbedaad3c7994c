import { expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import type { Node } from '../../../lib/apis/kubernetes.ts';
import { observeUnavailable } from '../../../lib/controllers/observe/observe-unavailable.ts';
import { readings } from '../../../lib/controllers/observe/readings.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import { memoryCatalogueStore } from '../../../lib/simulator/memory-catalogue-store.ts';
import type { SimulationResult } from '../../../lib/simulator/result.ts';
import { NOW_MS } from '../../builders/times.ts';
import { expectAllGone, expectOneInstanceAClaim, live } from '../life.ts';

/** The cluster is shifted away from the pool's only zone for a while. */
function shifted(fromMs: number, toMs: number): (ports: ControllerPorts) => ControllerPorts {
  return (ports) => {
    const startMs = ports.clock.now();
    const shiftedZones = async () => {
      const atMs = ports.clock.now() - startMs;
      return atMs >= fromMs && atMs < toMs ? ['us-east-1a'] : [];
    };
    return { ...ports, cloud: { ...ports.cloud, shiftedZones } };
  };
}

test('instances are not launched in a zone that the cluster is shifted away from, until the shift ends (C36)', async () => {
  const result = await live({ wrapPorts: shifted(0, 4 * MINUTE_MS) });
  const launches = result.timeline.flatMap(({ kind, at }) => (kind === 'instance-launched' ? [at] : []));
  expect(Math.min(...launches)).toBeGreaterThanOrEqual(4 * 60);
  expect(Math.min(...launches)).toBeLessThan(6 * 60);
  expectOneInstanceAClaim(result);
  expectAllGone(result);
});

/** The times, in seconds. */
function terminations({ timeline }: SimulationResult): readonly number[] {
  return timeline.flatMap(({ kind, at }) => (kind === 'terminate-instance' ? [at] : []));
}

test('instances are not terminated in that zone, until the shift ends (C36)', async () => {
  // The shift begins just before the last instance is terminated, when its claim is already deleted.
  const from = Math.max(...terminations(await live())) - 1;
  const until = from + 8 * 60;
  const result = await live({ wrapPorts: shifted(from * SECOND_MS, until * SECOND_MS) });
  expect(terminations(result).filter((at) => at >= from && at < until)).toEqual([]);
  expect(terminations(result).filter((at) => at >= until).length).toBeGreaterThan(0);
  expectOneInstanceAClaim(result);
  expectAllGone(result);
});

test.each([
  ['not given up while the cluster is shifted away from its zone', ['us-east-1a'], 0],
  ['given up if the cluster is shifted away from another zone', ['us-east-1b'], 1],
])('C36, D15: a lost node whose instance EC2 does not list is %s', async (_, zones, expected) => {
  const lostMs = 4 * MINUTE_MS;
  const result = await live({
    // The run goes on until then.
    scenario: {
      name: 'lost',
      events: [{ kind: 'scale', atMs: 9 * MINUTE_MS, deployment: 'default/web', replicas: 0 }],
    },
    durationMs: 10 * MINUTE_MS,
    wrapPorts: (ports) => {
      const { cluster, cloud, clock: time } = ports;
      const startMs = time.now();
      const isLost = (): boolean => time.now() - startMs >= lostMs;
      const listNodes = async (): Promise<readonly Node[]> => {
        const nodes = await cluster.listNodes();
        return isLost() ? nodes.map((node) => ({ ...node, status: { ...node.status, conditions: [] } })) : nodes;
      };
      const described: ControllerPorts['cloud']['describeInstances'] = async (...asked) =>
        isLost() ? [] : cloud.describeInstances(...asked);
      return {
        ...ports,
        cluster: { ...cluster, listNodes },
        cloud: { ...cloud, describeInstances: described, shiftedZones: async () => (isLost() ? zones : []) },
      };
    },
  });
  const given = result.timeline.filter((one) => one.kind === 'delete-node-claim' && one.reason === 'garbage_collected');
  expect(Math.min(given.length, 1)).toBe(expected);
});

const clock = { now: () => NOW_MS };

test('a shift excludes every capacity type of its zone, in addition to offerings without capacity', async () => {
  const catalogue = memoryCatalogueStore();
  const mark = { instanceType: 'm5.large', zone: 'a', capacityType: 'spot', reason: 'x', atMs: NOW_MS } as const;
  await catalogue.markUnavailable([mark]);
  const cloud = { shiftedZones: async () => ['b'] };
  const { unavailable, ignoredObjects } = await observeUnavailable({ catalogue, cloud, clock }, 'demo', readings());
  expect(unavailable.map(({ zone, capacityType, reason }) => [zone, capacityType, reason])).toEqual([
    ['a', 'spot', 'x'],
    ['b', 'on-demand', 'ZonalShift'],
    ['b', 'spot', 'ZonalShift'],
    ['b', 'reserved', 'ZonalShift'],
  ]);
  expect(ignoredObjects).toEqual([]);
});

test('shifts that cannot be read are reported, and decisions continue', async () => {
  const cloud = { shiftedZones: async () => await Promise.reject(new UnreachableError('ARC did not answer')) };
  const observed = await observeUnavailable({ catalogue: memoryCatalogueStore(), cloud, clock }, 'demo', readings());
  expect(observed).toEqual({
    unavailable: [],
    hasMarks: true,
    ignoredObjects: [
      {
        subject: { kind: 'Cluster', name: 'demo' },
        reason: 'ZonalShiftUnknown',
        message: 'ARC did not answer',
        numbers: {},
      },
    ],
  });
});
