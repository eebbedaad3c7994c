import type { SQSRecord } from 'aws-lambda';
import { expect, test } from 'vitest';
import { SECOND_MS } from '../../lib/apis/formats/time.ts';
import type { CoalescedWake } from '../../lib/controllers/run/coalesce-wakes.ts';
import { groupWakes, type WakeRuntime } from '../../lib/controllers/run/handle-wakes.ts';
import type { Reconcile, RunReport } from '../../lib/controllers/run/ports.ts';
import { WAKE_PLAN } from '../../lib/core/delivery/deliveries.ts';
import { hungClusters } from '../../lib/core/delivery/hung-clusters.ts';
import { answerWakes, queuedMessage } from '../../lib/operator/lambda/queue-batch.ts';
import { EpochMovedError, RefusedError, UnreachableError } from '../../lib/ports/errors.ts';
import type { Wake } from '../../lib/ports/messages.ts';
import { aRunReport } from '../builders/decisions.ts';
import { CONTEXT, failedOf, message, recordingRuntime, type Seen, UNUSED } from './messages.ts';

const tick = (cluster: string): Wake => ({ cluster, reason: 'tick' });

function batch(records: readonly SQSRecord[], remainingMs = 60_000) {
  return { event: { Records: [...records] }, context: { getRemainingTimeInMillis: () => remainingMs } };
}

/** The reconcilers of these tests use no ports. */
function runtime(served: readonly string[]): { readonly runtime: WakeRuntime; readonly seen: Seen } {
  const { runtime: recording, seen } = recordingRuntime();
  const portsOf: WakeRuntime['portsOf'] = async (cluster) => (served.includes(cluster) ? UNUSED : undefined);
  return { runtime: { ...recording, portsOf }, seen };
}

function reportOf(wake: Wake, failures: readonly Error[] = []): RunReport {
  return aRunReport({ cluster: wake.cluster, failures });
}

const unreachable: Reconcile = async () => await Promise.reject(new UnreachableError('still not'));
const refused: Reconcile = async () => await Promise.reject(new RefusedError('no permission'));

test('a storm of wakes is one run for each cluster', async () => {
  const runs: Wake[] = [];
  const reconcile: Reconcile = async (_, wake) => {
    runs.push(wake);
    return reportOf(wake);
  };
  const records = Array.from({ length: 1_000 }, (_, index) =>
    message(String(index), { cluster: index % 2 === 0 ? 'a' : 'b', reason: 'webhook' }),
  );
  const response = await answerWakes(runtime(['a', 'b']).runtime, batch(records), reconcile);
  expect(runs).toEqual([
    { cluster: 'a', reason: 'webhook' },
    { cluster: 'b', reason: 'webhook' },
  ]);
  expect(failedOf(response)).toEqual([]);
});

test.each<[string, readonly Wake[], Wake]>([
  ['one claim', [{ ...tick('a'), nodeClaim: 'x' }], { ...tick('a'), nodeClaim: 'x' }],
  [
    'the same claim twice',
    [
      { ...tick('a'), nodeClaim: 'x' },
      { ...tick('a'), nodeClaim: 'x' },
    ],
    { ...tick('a'), nodeClaim: 'x' },
  ],
  [
    'two claims',
    [
      { ...tick('a'), nodeClaim: 'x' },
      { ...tick('a'), nodeClaim: 'y' },
    ],
    tick('a'),
  ],
  ['a claim and all', [{ ...tick('a'), nodeClaim: 'x' }, tick('a')], tick('a')],
  ['two reasons', [tick('a'), { cluster: 'a', reason: 'due' }], { cluster: 'a', reason: 'tick+due' }],
])('wakes of a cluster for %s become one', (_, wakes, expected) => {
  const { clusters } = groupWakes(wakes.map((wake, index) => queuedMessage(message(String(index), wake))));
  expect(clusters.map(({ wake }) => wake)).toEqual([expected]);
});

test("one cluster's failure does not fail another's messages, and is retried soon", async () => {
  const { runtime: running, seen } = runtime(['a', 'b']);
  const reconcile: Reconcile = async (_, wake) => {
    if (wake.cluster === 'a') throw new UnreachableError('the API server does not answer');
    return reportOf(wake);
  };
  const records = [message('1', tick('a')), message('2', tick('b')), message('3', tick('a'))];
  expect(failedOf(await answerWakes(running, batch(records), reconcile))).toEqual(['1', '3']);
  expect(seen.retried).toEqual([{ ids: ['handle-1', 'handle-3'], seconds: 2 }]);
  expect(seen.said.toSorted()).toEqual(['failure a', 'report b 0']);
});

const overtaken: Reconcile = async () => Promise.reject(new EpochMovedError('another decision was recorded'));

test('a conflict with another run is not a failure, and is retried soon', async () => {
  const { runtime: running, seen } = runtime(['a']);
  expect(failedOf(await answerWakes(running, batch([message('1', tick('a'))]), overtaken))).toEqual(['1']);
  expect(seen).toEqual({ said: ['conflict: the wake is retried'], retried: [{ ids: ['handle-1'], seconds: 2 }] });
});

test('the second retry leaves more time, the third is left to the dead letters', async () => {
  const { runtime: running, seen } = runtime(['a']);
  for (const receives of [2, 3]) await answerWakes(running, batch([message('1', tick('a'), receives)]), unreachable);
  expect(seen.retried).toEqual([{ ids: ['handle-1'], seconds: 20 }]);
});

test('a message that fails again does not delay the early retry of others', async () => {
  const { runtime: running, seen } = runtime(['a']);
  const records = [
    message('1', tick('a'), 3),
    message('2', tick('a')),
    message('3', tick('a'), 2),
    message('4', tick('a')),
  ];
  expect(failedOf(await answerWakes(running, batch(records), unreachable))).toEqual(['1', '2', '3', '4']);
  expect(seen.retried).toEqual([
    { ids: ['handle-2', 'handle-4'], seconds: 2 },
    { ids: ['handle-3'], seconds: 20 },
  ]);
});

test('no part of a run continues after the response, whether the run succeeded or failed', async () => {
  const ended: string[] = [];
  const running = { ...runtime(['a', 'b']).runtime, endRun: (cluster: string) => ended.push(cluster) };
  const records = [message('1', tick('a')), message('2', tick('b'))];
  const reconcile: Reconcile = async (ports, wake) =>
    wake.cluster === 'a' ? await unreachable(ports, wake) : reportOf(wake);
  await answerWakes(running, batch(records), reconcile);
  expect(ended.toSorted()).toEqual(['a', 'b']);
});

test('what cannot get better by itself is not retried soon', async () => {
  const { runtime: running, seen } = runtime(['a']);
  expect(failedOf(await answerWakes(running, batch([message('1', tick('a'))]), refused))).toEqual(['1']);
  expect(seen.retried).toEqual([]);
});

test.each([
  '',
  'nonsense',
  'null',
  '[]',
  '{"cluster":"a"}',
  '{"cluster":"","reason":"tick"}',
  '{"cluster":"a","reason":"due","nodeClaim":7}',
])('the body %j fails by itself', async (body) => {
  const { runtime: running } = runtime(['a']);
  const response = await answerWakes(
    running,
    batch([message('bad', body), message('good', tick('a'))]),
    async (_, wake) => reportOf(wake),
  );
  expect(failedOf(response)).toEqual(['bad']);
});

test('a cluster that is not served any more is dropped with a warning, not kept for the dead letters', async () => {
  const { runtime: running, seen } = runtime(['a']);
  const response = await answerWakes(running, batch([message('1', tick('gone'))]), async (_, wake) => reportOf(wake));
  expect(failedOf(response)).toEqual([]);
  expect(seen.said).toEqual(['dropped a wake for a cluster that is not configured']);
});

test('failures of single claims are reported and do not bring the message back', async () => {
  const { runtime: running, seen } = runtime(['a']);
  const reconcile: Reconcile = async (_, wake) => reportOf(wake, [new Error('one claim')]);
  expect(failedOf(await answerWakes(running, batch([message('1', tick('a'))]), reconcile))).toEqual([]);
  expect(seen.said).toEqual(['report a 1']);
});

const hangs: Reconcile = async () => await Promise.withResolvers<never>().promise;

test('a cluster whose run was abandoned is not entered for 30 s by this process; then it is', async () => {
  let nowMs = 0;
  const { runtime: recording, seen } = runtime(['a', 'b']);
  const running = { ...recording, hung: hungClusters({ now: () => nowMs }) };
  await answerWakes(running, batch([message('1', tick('a'))], 3_010), hangs);
  expect(seen.retried).toEqual([{ ids: ['handle-1'], seconds: 30 }]);
  nowMs = 20_000;
  const records = [message('2', tick('a')), message('3', tick('b'))];
  expect(failedOf(await answerWakes(running, batch(records), async (_, wake) => reportOf(wake)))).toEqual(['2']);
  expect(seen.retried.at(-1)).toEqual({ ids: ['handle-2'], seconds: 10 });
  nowMs = 30_000;
  expect(failedOf(await answerWakes(running, batch(records), async (_, wake) => reportOf(wake)))).toEqual([]);
});

test('a cluster that hangs is given up before the function runs out of time; the others are done', async () => {
  const { runtime: running } = runtime(['a', 'b']);
  const reconcile: Reconcile = async (ports, wake) =>
    wake.cluster === 'a' ? await hangs(ports, wake) : reportOf(wake);
  const response = await answerWakes(
    running,
    batch([message('1', tick('a')), message('2', tick('b'))], 3_010),
    reconcile,
  );
  expect(failedOf(response)).toEqual(['1']);
});

test('a tick of a schedule is a run, without a message', async () => {
  const { runtime: running, seen } = runtime(['a']);
  const runs: CoalescedWake[] = [];
  const response = await answerWakes(running, { event: tick('a'), context: CONTEXT }, async (_, wake) => {
    runs.push(wake);
    return reportOf(wake);
  });
  expect(runs).toEqual([tick('a')]);
  expect([failedOf(response), seen.retried]).toEqual([[], []]);
});

test.each<[string, Reconcile, number]>([
  ['that may succeed later', unreachable, 2],
  ['that is refused', refused, WAKE_PLAN.visibilityTimeoutMs / SECOND_MS],
])('a tick of a schedule %s is sent to the queue once', async (_, reconcile, seconds) => {
  const { runtime: running, seen } = runtime(['a']);
  const response = await answerWakes(running, { event: tick('a'), context: CONTEXT }, reconcile);
  expect(seen.retried).toEqual([{ ids: [JSON.stringify(tick('a'))], seconds }]);
  expect(failedOf(response)).toEqual([]);
});

test('a tick that cannot be sent to the queue fails its invocation, which Lambda repeats', async () => {
  const { runtime: running } = runtime(['a']);
  const redelivery = { deliverAgain: async () => Promise.reject(new UnreachableError('no answer')) };
  const answer = answerWakes({ ...running, redelivery }, { event: tick('a'), context: CONTEXT }, unreachable);
  await expect(answer).rejects.toThrow(UnreachableError);
});
