import { expect, test } from 'vitest';
import { SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { reportedRefusals } from '../../../lib/controllers/act/reported-refusals.ts';
import { type Eviction, evictPods } from '../../../lib/controllers/drain/evict-pods.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import { waitsOf } from '../../../lib/controllers/wait/waits.ts';
import type { PodTarget } from '../../../lib/core/model/decision.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import { invocationTimer } from '../../../lib/simulator/aws/simulated-lambda.ts';
import { timetableFrom } from '../../../lib/simulator/timetable.ts';
import { UNUSED } from '../../operator/messages.ts';

const NO_ANSWER_MS = 10 * SECOND_MS;

/** A cluster in which evictions of the namespace `held` get no answer for ten seconds, as from an admission webhook that hangs. */
function hangingCluster() {
  const timetable = timetableFrom(0);
  const begun: { readonly pod: string; readonly atMs: number }[] = [];
  const graces: number[] = [];
  const cluster = {
    evictPod: async ({ namespace, name }: PodTarget) => {
      begun.push({ pod: name, atMs: timetable.now() });
      if (namespace !== 'held') return { kind: 'evicted' };
      await timetable.wait(NO_ANSWER_MS);
      throw new UnreachableError('no answer within 10 s');
    },
    deletePod: async (_pod: PodTarget, graceSeconds: number) => {
      graces.push(graceSeconds);
      await timetable.wait(SECOND_MS);
    },
  };
  const known = { cluster, clock: timetable, refusals: reportedRefusals() };
  const evict = async (wanted: readonly Eviction[]) => {
    const fromMs = timetable.now();
    begun.length = 0;
    const waits = waitsOf(invocationTimer(timetable, 60 * SECOND_MS));
    const ports: ControllerPorts = Object.create(UNUSED, Object.getOwnPropertyDescriptors({ ...known, waits }));
    const ended = evictPods(ports, 'blue', wanted).then((outcomes) => ({ outcomes, tookMs: timetable.now() - fromMs }));
    while (await timetable.step(fromMs + 60 * SECOND_MS));
    return { ...(await ended), begun: begun.map((one) => ({ ...one, atMs: one.atMs - fromMs })) };
  };
  return { evict, graces };
}

function evictions(namespace: string, count: number): readonly Eviction[] {
  return Array.from({ length: count }, (_, at) => {
    const name = `${namespace}-${at}`;
    return { kind: 'evict-pod', nodeClaim: 'general-a', pod: { namespace, name, uid: `uid-${name}` } };
  });
}

test('promise 7: 30 pods whose evictions get no answer delay the others by seconds', async () => {
  const { outcomes, tookMs, begun } = await hangingCluster().evict([...evictions('held', 30), ...evictions('web', 4)]);
  const web = begun.filter(({ pod }) => pod.startsWith('web'));
  expect(web).toHaveLength(4);
  expect(Math.max(...web.map(({ atMs }) => atMs))).toBeLessThanOrEqual(6 * SECOND_MS);
  expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual([
    ...Array.from({ length: 4 }, () => 'done'),
    ...Array.from({ length: 30 }, () => 'failed'),
  ]);
  expect(tookMs).toBeLessThan(20 * SECOND_MS);
});

test('the evictions of a decision take 30 seconds at most, and pods whose evictions have failed come last in the next one', async () => {
  const { evict } = hangingCluster();
  const all = [...evictions('held', 150), ...evictions('web', 4)];
  const first = await evict(all);
  expect(first.tookMs).toBeLessThanOrEqual(30 * SECOND_MS);
  expect(first.outcomes).toHaveLength(first.begun.length);
  const tried = first.begun.map(({ pod }) => pod);
  expect(tried).not.toContain('web-0');
  const again = (await evict(all)).begun.map(({ pod }) => pod);
  const others = all.map(({ pod }) => pod.name).filter((name) => !tried.includes(name));
  expect(again.slice(0, others.length)).toEqual(others);
  expect(tried).toContain(again[others.length]);
});

test.each([
  ['is shortened, so that the pod ends by the deadline (D24)', { endsByMs: 30 * SECOND_MS }, [30, 29, 28]],
  ['stays if the API server counts it from an earlier deletion', {}, [30]],
])('the grace period of a pod that is deleted seconds after the decision %s', async (_, until, expected) => {
  const { evict, graces } = hangingCluster();
  const force = { graceSeconds: 30, ...until };
  await evict(evictions('web', 11).map((one) => ({ ...one, force })));
  expect([...new Set(graces)]).toEqual(expected);
  expect(graces).toHaveLength(11);
});
