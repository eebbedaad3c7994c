import { describe, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { Arrivals, Load } from '../../../lib/apis/scenario/load.ts';
import { templateOf } from '../../../lib/apis/scenario/load.ts';
import { exponential, ownRandom } from '../../../lib/simulator/random.ts';
import type { SimulationResult } from '../../../lib/simulator/result.ts';
import { arrivalsOf } from '../../../lib/simulator/scenario/play-loads.ts';
import { aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { entriesOf, played, saidOf } from './played.ts';

/** Pods of a load that are evicted are pending again, so nodes with pods stay. */
const disruption = { consolidationPolicy: 'WhenEmpty', consolidateAfter: '0s', budgets: [{ nodes: '100%' }] } as const;
const EMPTY = { manifests: someManifests({ deployments: [], nodePools: [aPool({ disruption })] }) };

function aLoad(over: Partial<Load> = {}): Load {
  return {
    name: 'batch',
    namespace: 'default',
    template: templateOf({ name: 'batch', cpu: '500m', memory: '512Mi' }),
    arrivals: { kind: 'batch', everyMs: 20 * MINUTE_MS, pods: 2 },
    lifetime: { kind: 'fixed', ms: 5 * MINUTE_MS },
    fromMs: 0,
    ...over,
  };
}

async function loaded(loads: readonly Load[], seed = 1): Promise<SimulationResult> {
  return played([], { ...EMPTY, seed, scenario: { name: 'loads', events: [], loads } });
}

/** The times at which pods arrive. *Units:* hours. */
function hoursOf(arrivals: Arrivals, hours: number): readonly number[] {
  const all = arrivalsOf({ arrivals, fromMs: 0 }, hours * HOUR_MS, ownRandom(1, 'test'));
  return [...all].map(({ atMs }) => atMs / HOUR_MS);
}

describe('arrivals', () => {
  test('in batches are at regular times, from the begin of the load until its end', () => {
    const arrivals = { kind: 'batch', everyMs: 20 * MINUTE_MS, pods: 2 } as const;
    const all = arrivalsOf({ arrivals, fromMs: 5 * MINUTE_MS }, 65 * MINUTE_MS, ownRandom(1, 'test'));
    expect([...all]).toEqual([5, 25, 45].map((minute) => ({ atMs: minute * MINUTE_MS, pods: 2 })));
  });

  test('of a Poisson process have the mean and the variance of their number an hour', () => {
    const hours = 1_000;
    const perHour = Map.groupBy(hoursOf({ kind: 'poisson', perHour: 20 }, hours), Math.floor);
    const counts = Array.from({ length: hours }, (_, hour) => perHour.get(hour)?.length ?? 0);
    const mean = counts.reduce((sum, count) => sum + count, 0) / hours;
    const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / hours;
    // The mean of 1,000 hours has a standard deviation of √20 / √1000 = 0.14, the variance one of about 0.9.
    expect(Math.abs(mean - 20)).toBeLessThan(0.5);
    expect(Math.abs(variance - 20)).toBeLessThan(4);
  });

  test('of a day are most at the peak, and fewest 12 hours later', () => {
    const days = 100;
    const arrivals = { kind: 'diurnal', peakPerHour: 30, troughPerHour: 10, peakAtMs: 14 * HOUR_MS } as const;
    const perHour = Map.groupBy(hoursOf(arrivals, days * 24), (hour) => Math.floor(hour % 24));
    const meanAt = (hour: number): number => (perHour.get(hour)?.length ?? 0) / days;
    // The hour from 14 to 15 has the mean of 20 + 10 cos(x) for x from 0 to 15 degrees: 29.89. Six hours from the peak it is 20 ∓ 1.3.
    expect(meanAt(14)).toBeCloseTo(29.89, -0.5);
    expect(meanAt(2)).toBeCloseTo(10.11, -0.5);
    expect(Math.abs(meanAt(20) - 18.7)).toBeLessThan(1.5);
    expect(Math.abs(meanAt(7) - 18.7)).toBeLessThan(1.5);
  });

  test('of a rate of zero are none', () => {
    expect(hoursOf({ kind: 'poisson', perHour: 0 }, 1_000)).toEqual([]);
  });

  test('and lifetimes with an exponential distribution have its mean', () => {
    const random = ownRandom(1, 'lifetimes');
    const times = Array.from({ length: 10_000 }, () => exponential(random, 600));
    const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
    // Its standard deviation is 600 / √10000 = 6.
    expect(Math.abs(mean - 600)).toBeLessThan(18);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(0);
  });
});

describe('a load', () => {
  test('of two pods each 20 minutes runs six pods in an hour, each for its lifetime', async () => {
    const result = await loaded([aLoad()]);
    const pending = entriesOf(result, 'pod-pending');
    expect(pending.map(({ at }) => Math.floor(at / 60))).toEqual([0, 0, 20, 20, 40, 40]);
    expect(new Set(pending.map(({ workload }) => workload))).toEqual(new Set(['Load default/batch']));
    const started = new Map(entriesOf(result, 'pod-running').map(({ pod, at }) => [pod, at]));
    const completed = entriesOf(result, 'pod-completed');
    expect(completed).toHaveLength(6);
    for (const { pod, at } of completed) expect(at - (started.get(pod) ?? 0)).toBeCloseTo(300, 3);
    expect(result).toMatchObject({ podsRunning: 0, podsPending: [] });
  });

  test('from minute 30 to minute 45 runs the pods of one batch', async () => {
    const result = await loaded([aLoad({ fromMs: 30 * MINUTE_MS, toMs: 45 * MINUTE_MS })]);
    expect(entriesOf(result, 'pod-pending').map(({ at }) => Math.floor(at / 60))).toEqual([30, 30]);
  });

  test('at its limit drops the pods that arrive, and says so', async () => {
    const lifetime = { kind: 'fixed', ms: 30 * MINUTE_MS } as const;
    const arrivals = { kind: 'batch', everyMs: 20 * MINUTE_MS, pods: 5 } as const;
    const result = await loaded([aLoad({ limit: 3, lifetime, arrivals })]);
    // Those of minute 0 run until minute 31, so all five of minute 20 are dropped.
    expect(entriesOf(result, 'pod-pending').map(({ at }) => Math.floor(at / 60))).toEqual([0, 0, 0, 40, 40, 40]);
    expect(saidOf(result)).toEqual([
      '0 load batch is at its limit of 3 pods: others are dropped',
      '2400 load batch is below its limit: 7 pods dropped',
      '2400 load batch is at its limit of 3 pods: others are dropped',
    ]);
    expect(result.notes).toEqual(['load batch: more pods arrived than its limit of 3 allows; the others were dropped']);
  });

  test('gets a pod back whose node is deleted, and it runs again from the beginning', async () => {
    const lifetime = { kind: 'fixed', ms: 20 * MINUTE_MS } as const;
    const arrivals = { kind: 'batch', everyMs: 60 * MINUTE_MS, pods: 1 } as const;
    const scenario = {
      name: 'loads',
      events: [{ kind: 'deleteNode', atMs: 10 * MINUTE_MS, node: { kind: 'any' } }] as const,
      loads: [aLoad({ lifetime, arrivals })],
    };
    const result = await played([], { ...EMPTY, scenario });
    const running = entriesOf(result, 'pod-running');
    const [completed, ...more] = entriesOf(result, 'pod-completed');
    expect(running).toHaveLength(2);
    expect(more).toEqual([]);
    expect((completed?.at ?? 0) - (running[1]?.at ?? 0)).toBeCloseTo(20 * 60, 3);
  });

  const poisson = aLoad({
    arrivals: { kind: 'poisson', perHour: 12 },
    lifetime: { kind: 'exponential', meanMs: 300_000 },
  });

  test('is the same each time for one seed, and another for another seed', async () => {
    const [first, second, other] = await Promise.all([loaded([poisson]), loaded([poisson]), loaded([poisson], 2)]);
    expect(JSON.stringify(first)).toBe(JSON.stringify(second));
    const times = [first, other].map((result) => entriesOf(result, 'pod-pending').map(({ at }) => at));
    expect(times[0]).not.toEqual(times[1]);
    expect(entriesOf(first, 'pod-pending').length).toBeGreaterThan(4);
  });

  test('does not change when pods of another load arrive', async () => {
    const other = aLoad({ name: 'other', arrivals: { kind: 'poisson', perHour: 30 } });
    const arrivals = [await loaded([poisson]), await loaded([other, poisson])].map((result) =>
      entriesOf(result, 'pod-pending')
        .filter(({ workload }) => workload === 'Load default/batch')
        .map(({ at }) => Math.floor(at)),
    );
    expect(arrivals[0]).toEqual(arrivals[1]);
  });
});
