import { describe, expect, test } from 'vitest';
import { reportedRefusals } from '../../../lib/controllers/act/reported-refusals.ts';
import type { CoalescedWake } from '../../../lib/controllers/run/coalesce-wakes.ts';
import { groupWakes } from '../../../lib/controllers/run/handle-wakes.ts';
import type { RunReport } from '../../../lib/controllers/run/ports.ts';
import { takeTurn } from '../../../lib/controllers/run/take-turns.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { RefusedError, UnreachableError } from '../../../lib/ports/errors.ts';
import type { QueuedMessage } from '../../../lib/ports/redelivery.ts';
import { simulatedMessages } from '../../../lib/simulator/aws/simulated-messages.ts';
import { memoryLeases } from '../../../lib/simulator/memory-leases.ts';
import { timetableFrom } from '../../../lib/simulator/timetable.ts';
import { aRunReport } from '../../builders/decisions.ts';

const CLUSTER = 'demo';

interface World {
  /** The duration of a run. */
  readonly runMs?: number;
  /** The number of invocations of one batch, each with a part of it. */
  readonly calls?: number;
  /** The numbers of the runs that fail. */
  readonly failing?: readonly number[];
  /** The numbers of the runs that never end. */
  readonly hanging?: readonly number[];
  /** The time that the clock of the function differs from that of the queue. */
  readonly aheadMs?: number;
}

/** The provisioning function behind its queue, in virtual time. A run only takes time. */
function world({ runMs = 1_200, calls = 1, failing = [], hanging = [], aheadMs = 0 }: World = {}) {
  const timetable = timetableFrom(1_000_000);
  const clock = { now: () => timetable.now() + aheadMs };
  const runs: { readonly fromMs: number; toMs: number }[] = [];
  const said: RunReport['skipped'][] = [];
  let [atOnce, mostAtOnce] = [0, 0];
  const run = async (): Promise<RunReport> => {
    const nth = runs.push({ fromMs: timetable.now(), toMs: Infinity });
    if (hanging.includes(nth)) await new Promise<void>(() => {});
    atOnce += 1;
    mostAtOnce = Math.max(mostAtOnce, atOnce);
    await new Promise<void>((resolve) => timetable.after(runMs, resolve));
    atOnce -= 1;
    runs.splice(nth - 1, 1, { fromMs: runs[nth - 1]?.fromMs ?? 0, toMs: timetable.now() });
    if (failing.includes(nth)) throw new UnreachableError(`run ${nth} failed`);
    return aRunReport({ controller: 'provisioning', cluster: CLUSTER });
  };
  const answer = async (wake: CoalescedWake): Promise<RunReport['skipped']> => {
    const turn = await takeTurn(ports, { work: 'provisioning', wake, collects: true });
    if (turn.kind === 'skipped') return turn.report.skipped;
    for await (const _ of turn.runs) await run();
    return undefined;
  };
  const call = async (queued: readonly QueuedMessage[]): Promise<void> => {
    try {
      for (const { wake } of groupWakes(queued).clusters) said.push(await answer(wake));
    } catch {
      timetable.after(2_000, () => void call(queued));
    }
  };
  const messages = simulatedMessages(timetable, {
    wakes: async (_, queued) => {
      for (const part of Object.values(Object.groupBy(queued, (_one, index) => index % calls))) void call(part ?? []);
      return [];
    },
    decision: () => {},
  });
  const ports = {
    settings: DEFAULT_SETTINGS,
    clock,
    leases: memoryLeases(clock),
    messages,
  };
  return {
    runs,
    said,
    mostAtOnce: () => mostAtOnce,
    /** Sends a wake at each of these times, and runs the simulation to its end. */
    play: async (sentMs: readonly number[]): Promise<void> => {
      const startMs = timetable.now();
      for (const ms of sentMs)
        timetable.after(ms, async () => messages.wake('provisioning', { cluster: CLUSTER, reason: 'webhook' }));
      for (const untilMs = startMs + 120_000; await timetable.step(untilMs); );
    },
    since: () => runs.map(({ fromMs }) => fromMs - 1_000_000),
  };
}

const spread = (count: number, overMs: number) =>
  Array.from({ length: count }, (_, index) => Math.floor((index * overMs) / count));

describe('wakes of a cluster', () => {
  test('of a single pod are answered as soon as the queue has delivered them', async () => {
    const { play, since } = world();
    await play([0]);
    expect(since()).toEqual([1_000]);
  });

  test.each([1, 2, 4])(
    'of 1,000 pods over 25 s, in %i calls a batch, cause at most five runs, never two at once, and the last one observes all pods',
    async (calls) => {
      for (const runMs of [50, 1_200, 5_000]) {
        const { play, since, mostAtOnce } = world({ calls, runMs });
        await play(spread(1_000, 25_000));
        expect(since().length, `runs of ${runMs} ms`).toBeLessThanOrEqual(5);
        expect(mostAtOnce()).toBe(1);
        expect(since().at(-1)).toBeGreaterThan(25_000);
      }
    },
  );

  test('that never pause cause a run every 10 s', async () => {
    const { play, since, mostAtOnce } = world();
    await play(spread(200, 60_000));
    const between = since().map((ms, index, all) => ms - (all[index - 1] ?? 0));
    expect(Math.min(...between.slice(1, -1))).toBeGreaterThan(8_000);
    expect(Math.max(...between)).toBeLessThan(12_000);
    expect(mostAtOnce()).toBe(1);
  });

  test('that another wake joins are answered together after the idle time of that wake', async () => {
    const { play, since } = world();
    await play([0, 600]);
    expect(since()).toEqual([2_000]);
  });

  test('that arrive during a run are answered before it releases the lease', async () => {
    const { play, since, said } = world({ runMs: 4_000 });
    await play([0, 2_000]);
    expect(since()).toEqual([1_000, 5_000]);
    expect(said).toEqual(['busy', undefined]);
  });

  test('that were sent before a run and arrive during it are answered by it', async () => {
    const { play, since, said } = world({ runMs: 4_000, calls: 2 });
    await play([0, 0]);
    expect(since()).toEqual([1_000]);
    expect(said).toEqual(['answered', undefined]);
  });

  test.each([-120_000, -2_000, 2_000, 120_000])(
    'that were sent after a run cause another one, also if the clock of the function differs by %i ms',
    async (aheadMs) => {
      for (const seconds of [14, 30, 105]) {
        const { play, since, said } = world({ aheadMs });
        await play([0, seconds * 1_000]);
        const [first = 0, second = 0, ...more] = since();
        expect([first < 12_000, more, said.includes('answered')], `${seconds} s`).toEqual([true, [], false]);
        expect(second - seconds * 1_000, `${seconds} s`).toBeGreaterThanOrEqual(1_000);
        expect(second - seconds * 1_000, `${seconds} s`).toBeLessThanOrEqual(12_000);
      }
    },
  );

  test('of a failed run are delivered again, together with the wakes that it would have answered', async () => {
    const { play, since, mostAtOnce } = world({ failing: [1], calls: 2 });
    await play([0, 0]);
    expect(since()).toEqual([1_000, 4_200]);
    expect(mostAtOnce()).toBe(1);
  });

  test('of a run that never ended are answered by the first run after its lease expired', async () => {
    const { play, since } = world({ hanging: [1] });
    await play([0, 10_000, 20_000]);
    expect(since()).toEqual([1_000, 21_000]);
  });
});

describe('a lease that a run could not release', () => {
  test.each(['succeeded', 'failed'])('if the run %s, is followed by one wake when it has expired', async (how) => {
    const clock = { now: () => 1_000_000 };
    const leases = { ...memoryLeases(clock), release: unreachable };
    const sent: unknown[] = [];
    const messages = { wake: async (...wake: readonly unknown[]) => void sent.push(wake) };
    const ports = { settings: DEFAULT_SETTINGS, clock, leases, messages };
    const runFor = async (reason: string): Promise<void> => {
      const turn = await takeTurn(ports, { work: 'provisioning', wake: { cluster: CLUSTER, reason }, collects: true });
      if (turn.kind === 'skipped') throw new Error(turn.report.skipped);
      for await (const _ of turn.runs) if (how === 'failed') throw new Error('the run failed');
    };
    await expect(runFor('tick')).rejects.toThrow(how === 'failed' ? 'the run failed' : 'throttled');
    expect(sent).toEqual([['provisioning', { cluster: CLUSTER, reason: 'again' }, 15_000]]);
  });

  test('and whose wake fails as well, is followed by no further wake', async () => {
    const clock = { now: () => 1_000_000 };
    const leases = { ...memoryLeases(clock), release: unreachable };
    const sent: unknown[] = [];
    const messages = { wake: async (...wake: readonly unknown[]) => void sent.push(wake) };
    const ports = { settings: DEFAULT_SETTINGS, clock, leases, messages };
    const wake = { cluster: CLUSTER, reason: 'again' };
    const turn = await takeTurn(ports, { work: 'provisioning', wake, collects: true });
    if (turn.kind === 'skipped') throw new Error(turn.report.skipped);
    const { runs } = turn;
    const runAll = async (): Promise<void> => {
      for await (const _ of runs);
    };
    await expect(runAll()).rejects.toThrow('throttled');
    expect(sent).toEqual([]);
  });
});

const refused = async (): Promise<never> => await Promise.reject(new RefusedError('AccessDeniedException'));
const unreachable = async (): Promise<never> => await Promise.reject(new UnreachableError('throttled'));

describe('a lease that the table refuses for good', () => {
  const wake = { cluster: CLUSTER, reason: 'tick' };

  test.each(['see', 'acquire'] as const)('in %s does not stop the run, and is reported once', async (method) => {
    const clock = { now: () => 1_000_000 };
    const leases = { ...memoryLeases(clock), [method]: refused };
    const messages = { wake: async () => {} };
    const ports = { settings: DEFAULT_SETTINGS, clock, leases, messages, refusals: reportedRefusals() };
    const reported: string[] = [];
    let runs = 0;
    for (let turns = 0; turns < 3; turns += 1) {
      const turn = await takeTurn(ports, { work: 'provisioning', wake, collects: true });
      if (turn.kind !== 'taken') continue;
      reported.push(...turn.failures.map(({ message }) => message));
      for await (const own of turn.runs) runs += 'lease' in own ? 0 : 1;
    }
    expect(runs).toBe(3);
    expect(reported).toEqual([
      'the table refuses the lease of provisioning, so runs continue without it and may do the same work twice: AccessDeniedException; check the permissions of the function for its table',
    ]);
  });

  test('is not a table that does not answer: its wakes are delivered again', async () => {
    const clock = { now: () => 1_000_000 };
    const leases = { ...memoryLeases(clock), see: unreachable };
    const ports = { settings: DEFAULT_SETTINGS, clock, leases, messages: { wake: async () => {} } };
    await expect(takeTurn(ports, { work: 'provisioning', wake, collects: true })).rejects.toThrow('throttled');
  });
});
