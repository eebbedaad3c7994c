import { describe, expect, test } from 'vitest';
import type { CoalescedWake } from '../../../lib/controllers/run/coalesce-wakes.ts';
import { groupWakes } from '../../../lib/controllers/run/handle-wakes.ts';
import type { RunReport } from '../../../lib/controllers/run/ports.ts';
import { takeTurn } from '../../../lib/controllers/run/take-turns.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import type { QueuedMessage } from '../../../lib/ports/redelivery.ts';
import { simulatedMessages } from '../../../lib/simulator/aws/simulated-messages.ts';
import { memoryLeases } from '../../../lib/simulator/memory-leases.ts';
import { timetableFrom } from '../../../lib/simulator/timetable.ts';

const CLUSTER = 'demo';

interface World {
  /** How long a look takes. */
  readonly lookMs?: number;
  /** What SQS makes of one batch at its worst: as many calls, each with a part of it. */
  readonly calls?: number;
  /** Looks that fail, by number. */
  readonly failing?: readonly number[];
  /** Looks that never come back, by number. */
  readonly hanging?: readonly number[];
}

/** The provisioning function behind its queue, in virtual time; a look only takes its time. */
function world({ lookMs = 1_200, calls = 1, failing = [], hanging = [] }: World = {}) {
  const timetable = timetableFrom(1_000_000);
  const looks: { readonly fromMs: number; toMs: number }[] = [];
  const said: RunReport['skipped'][] = [];
  let [atOnce, mostAtOnce] = [0, 0];
  const look = async (): Promise<RunReport> => {
    const nth = looks.push({ fromMs: timetable.now(), toMs: Infinity });
    if (hanging.includes(nth)) await new Promise<void>(() => {});
    atOnce += 1;
    mostAtOnce = Math.max(mostAtOnce, atOnce);
    await new Promise<void>((resolve) => timetable.after(lookMs, resolve));
    atOnce -= 1;
    looks.splice(nth - 1, 1, { fromMs: looks[nth - 1]?.fromMs ?? 0, toMs: timetable.now() });
    if (failing.includes(nth)) throw new UnreachableError(`look ${nth} failed`);
    return { controller: 'provisioning', cluster: CLUSTER, decisions: [], due: [], gauges: {}, failures: [] };
  };
  const answer = async (wake: CoalescedWake): Promise<RunReport['skipped']> => {
    const turn = await takeTurn(ports, { work: 'provisioning', wake, collects: true });
    if (turn.kind === 'skipped') return turn.report.skipped;
    for await (const _ of turn.runs) await look();
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
    clock: timetable,
    leases: memoryLeases(timetable),
    messages,
  };
  return {
    looks,
    said,
    mostAtOnce: () => mostAtOnce,
    /** Sends a wake at each of these moments, from the start on, and lets all of it happen. */
    play: async (sentMs: readonly number[]): Promise<void> => {
      const startMs = timetable.now();
      for (const ms of sentMs)
        timetable.after(ms, async () => messages.wake('provisioning', { cluster: CLUSTER, reason: 'webhook' }));
      for (const untilMs = startMs + 120_000; await timetable.step(untilMs); );
    },
    since: () => looks.map(({ fromMs }) => fromMs - 1_000_000),
  };
}

const spread = (count: number, overMs: number) =>
  Array.from({ length: count }, (_, index) => Math.floor((index * overMs) / count));

describe('wakes of a cluster', () => {
  test('of a lone pod are answered as soon as the queue has collected', async () => {
    const { play, since } = world();
    await play([0]);
    expect(since()).toEqual([1_000]);
  });

  test.each([1, 2, 4])(
    'of 1,000 pods over 25 s, in %i calls a batch, make at most five looks, never two at once, and the last sees all',
    async (calls) => {
      for (const lookMs of [50, 1_200, 5_000]) {
        const { play, since, mostAtOnce } = world({ calls, lookMs });
        await play(spread(1_000, 25_000));
        expect(since().length, `looks of ${lookMs} ms`).toBeLessThanOrEqual(5);
        expect(mostAtOnce()).toBe(1);
        expect(since().at(-1)).toBeGreaterThan(25_000);
      }
    },
  );

  test('that never pause are looked at every 10 s', async () => {
    const { play, since, mostAtOnce } = world();
    await play(spread(200, 60_000));
    const between = since().map((ms, index, all) => ms - (all[index - 1] ?? 0));
    expect(Math.min(...between.slice(1, -1))).toBeGreaterThan(8_000);
    expect(Math.max(...between)).toBeLessThan(12_000);
    expect(mostAtOnce()).toBe(1);
  });

  test('that one more joins, a tick perhaps, are looked at together once it has waited too', async () => {
    const { play, since } = world();
    await play([0, 600]);
    expect(since()).toEqual([2_000]);
  });

  test('that come while a look goes on are looked at before it lets go', async () => {
    const { play, since, said } = world({ lookMs: 4_000 });
    await play([0, 2_000]);
    expect(since()).toEqual([1_000, 5_000]);
    expect(said).toEqual(['busy', undefined]);
  });

  test('that were sent before the look began, and come while it goes on, are answered by it', async () => {
    const { play, since, said } = world({ lookMs: 4_000, calls: 2 });
    await play([0, 0]);
    expect(since()).toEqual([1_000]);
    expect(said).toEqual(['answered', undefined]);
  });

  test('of a look that failed come again, those that it would have answered with them', async () => {
    const { play, since, mostAtOnce } = world({ failing: [1], calls: 2 });
    await play([0, 0]);
    expect(since()).toEqual([1_000, 4_200]);
    expect(mostAtOnce()).toBe(1);
  });

  test('of a look that never came back are answered by the first after its lease lapsed', async () => {
    const { play, since } = world({ hanging: [1] });
    await play([0, 10_000, 20_000]);
    expect(since()).toEqual([1_000, 21_000]);
  });
});
