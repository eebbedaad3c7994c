import { expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
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
