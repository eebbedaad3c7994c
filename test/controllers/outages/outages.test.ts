import { beforeAll, describe, expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { SLOW_TICK_MINUTES } from '../../../lib/core/delivery/ticks.ts';
import { around } from '../../../lib/simulator/faults.ts';
import { openSimulation } from '../../../lib/simulator/simulation.ts';
import { someManifests } from '../../builders/cluster-manifests.ts';
import { samples } from '../../samples.ts';
import { SMALL_CATALOGUE } from '../life.ts';
import { ACTIVITIES, type Activity, NEEDS, type Need } from './needs.ts';
import { type Observed, OUTAGE_MS, type Outage, outageFromMs, play } from './outage.ts';

/** The longest delay by a method that the activity does not need: a poll, and a retry. */
const NOT_NEEDED_MS = 10 * SECOND_MS;
/** Without wakes, provisioning and disruption have only their own ticks. */
const TICKS_MS = SLOW_TICK_MINUTES * MINUTE_MS;
/** A needed method is called again by the next tick at the latest, for a launch after a pause. */
const AFTER_OUTAGE_MS = MINUTE_MS + 10 * SECOND_MS;
/** Everything is at rest this long after the outage: a claim that is launched then joins and replaces another. */
const CONVERGED_MS = 3 * MINUTE_MS;

/** An outage of a service, a permission that is missing, and answers that are lost. */
const KINDS: readonly Pick<Outage, 'error' | 'where'>[] = [
  { error: 'timeout', where: 'before' },
  { error: 403, where: 'before' },
  { error: 'timeout', where: 'after' },
];

/** Each activity needs its wakes, so every sample has the outages of this method. */
const IN_EVERY_SAMPLE = 'messages.wake';

/** Methods of the simulation that are not part of a port. */
const SIMULATOR_ONLY = [
  'cloud.addInstance',
  'cloud.addQuota',
  'cloud.blackOut',
  'cloud.impair',
  'cloud.isImpaired',
  'cloud.limitFleets',
  'cloud.recover',
  'cloud.releaseImages',
  'cloud.instances',
  'cloud.interruptSpot',
  'cloud.removeTags',
  'leases.isCurrent',
];

function needOf({ method, error }: Outage, activity: Activity): Exclude<Need, 'unless-refused'> | undefined {
  const need = Object.entries(NEEDS).find(([name]) => name === method)?.[1][activity];
  if (need !== 'unless-refused') return need;
  return error === 403 ? undefined : 'needed';
}

/** The methods that an outage of three minutes hits. An outage of any other method changes nothing. */
function hitBy(fromMs: number, { calls }: Observed): readonly string[] {
  const hit = calls.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + OUTAGE_MS);
  return [...new Set(hit.map(({ method }) => method))].toSorted();
}

/** The calls that took effect although the method failed before. */
function passed({ method, where, fromMs }: Outage, { calls }: Observed): number {
  if (where === 'after') return 0;
  return calls.filter((one) => one.method === method && one.atMs >= fromMs && one.atMs < fromMs + OUTAGE_MS).length;
}

/** Why a run under an outage is not as it must be. */
function problems(
  under: Outage,
  activity: Activity,
  { without, run }: { without: Observed; run: Observed },
): readonly string[] {
  const overMs = under.fromMs + OUTAGE_MS;
  const need = needOf(under, activity);
  const usualMs = without.doneMs ?? 0;
  const latestMs = {
    needed: Math.max(overMs, usualMs) + AFTER_OUTAGE_MS,
    tick: usualMs + TICKS_MS,
    none: usualMs + NOT_NEEDED_MS,
  }[need ?? 'none'];
  const found: string[] = [];
  // The instance ends two minutes after a spot warning, whatever was done.
  const isTooLate = activity === 'spot warning' && need === 'needed' && run.doneMs === undefined;
  if (!isTooLate && (run.doneMs ?? Infinity) > latestMs)
    found.push(`done at ${run.doneMs} instead of ${usualMs}, at most ${latestMs}`);
  if (run.endedMs > overMs + CONVERGED_MS)
    found.push(`at rest at ${run.endedMs}, ${run.endedMs - overMs} after the outage`);
  if (passed(under, run) > 0) found.push(`${passed(under, run)} calls took effect in the outage`);
  return [...found, ...run.left].map((problem) => `${under.method} ${under.error} ${under.where}: ${problem}`);
}

describe.each(ACTIVITIES)('%s, while one method of a port fails for three minutes', (activity) => {
  let without: Observed;
  beforeAll(async () => {
    without = await play(activity);
  });

  test('it waits only for what it needs, and everything comes to rest', async () => {
    expect(without.left).toEqual([]);
    const fromMs = outageFromMs(activity, without);
    const outages = hitBy(fromMs, without).flatMap((method) => KINDS.map((kind) => ({ ...kind, method, fromMs })));
    expect(outages.filter(({ method }) => method === IN_EVERY_SAMPLE)).toHaveLength(KINDS.length);
    const found: string[] = [];
    // A sample has other methods and kinds of failures for each activity.
    const every = Math.ceil(outages.length / samples(outages.length, 20));
    for (const [index, outage] of outages.entries()) {
      const isSampled = index % every === ACTIVITIES.indexOf(activity) % every;
      if (!isSampled && outage.method !== IN_EVERY_SAMPLE) continue;
      found.push(...problems(outage, activity, { without, run: await play(activity, outage) }));
    }
    expect(found).toEqual([]);
  });
});

test('every method of a port is in the table of what activities need', () => {
  const methods: string[] = [];
  openSimulation({
    manifests: someManifests(),
    catalogue: SMALL_CATALOGUE,
    seed: 1,
    durationMs: MINUTE_MS,
    wrapPorts: (ports) => {
      for (const name of ['cluster', 'cloud', 'store', 'leases', 'catalogue', 'messages'] as const)
        for (const [method, member] of Object.entries(ports[name]))
          if (typeof member === 'function') methods.push(`${name}.${method}`);
      return around(ports, async (_, go) => go());
    },
  });
  const known = [...Object.keys(NEEDS), ...SIMULATOR_ONLY];
  expect(methods.toSorted()).toEqual(known.toSorted());
});

describe('by name', () => {
  test('on a spot warning, a node is cordoned and its pods are evicted although DescribeInstances is refused', async () => {
    const without = await play('spot warning');
    const outage = { method: 'cloud.describeInstances', error: 403, where: 'before' } as const;
    const run = await play('spot warning', { ...outage, fromMs: outageFromMs('spot warning', without) });
    expect(run.cordonedMs).toBeLessThan((without.cordonedMs ?? 0) + SECOND_MS);
    expect(run.doneMs).toBeLessThan((without.doneMs ?? 0) + SECOND_MS);
  });

  test.each(['cloud.describeInstances', 'cloud.shiftedZones'])(
    'on a spot warning, pods are evicted within 10 s although %s never answers',
    async (method) => {
      const without = await play('spot warning');
      const fromMs = outageFromMs('spot warning', without);
      const run = await play('spot warning', { method, error: 'no answer', where: 'before', fromMs });
      expect((run.doneMs ?? Infinity) - fromMs).toBeLessThan(10 * SECOND_MS);
      expect(run.left).toEqual([]);
    },
  );

  test('a node joins within 50 s although DescribeInstances is refused', async () => {
    const without = await play('join');
    const fromMs = outageFromMs('join', without);
    const run = await play('join', { method: 'cloud.describeInstances', error: 403, where: 'before', fromMs });
    expect((run.doneMs ?? Infinity) - fromMs).toBeLessThan(50 * SECOND_MS);
  });

  test.each([
    'catalogue.listLearnedMemory',
    'catalogue.readCatalogue',
    'cluster.listNodePools',
    'cluster.listNodeClasses',
  ])('a drain does not wait for %s', async (method) => {
    const without = await play('drain');
    const fromMs = outageFromMs('drain', without);
    const run = await play('drain', { method, error: 403, where: 'before', fromMs });
    expect(run.doneMs).toBeLessThan((without.doneMs ?? 0) + SECOND_MS);
  });

  test.each(ACTIVITIES)(
    '%s continues while the cluster does not answer whether another autoscaler runs',
    async (activity) => {
      const without = await play(activity);
      const outage = { method: 'cluster.findOtherAutoscalers', error: 500, where: 'before' } as const;
      const run = await play(activity, { ...outage, fromMs: outageFromMs(activity, without) });
      expect(run.doneMs).toBeLessThan((without.doneMs ?? 0) + SECOND_MS);
      expect(run.left).toEqual([]);
    },
  );

  test.each(['cluster.listNamespaces', 'cluster.listNodeOverlays'])('a launch does not wait for %s', async (method) => {
    const without = await play('launch');
    const fromMs = outageFromMs('launch', without);
    const run = await play('launch', { method, error: 500, where: 'before', fromMs });
    expect(run.doneMs).toBeLessThan((without.doneMs ?? 0) + 5 * SECOND_MS);
    expect(run.left).toEqual([]);
  });
});
