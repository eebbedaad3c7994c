import { expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { handleWakes, type WakeRuntime } from '../../../lib/controllers/run/handle-wakes.ts';
import type { Reconcile, RunReport } from '../../../lib/controllers/run/ports.ts';
import { WAKE_PLAN } from '../../../lib/core/delivery/deliveries.ts';
import { hungClusters } from '../../../lib/core/delivery/hung-clusters.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import { invocationTimer } from '../../../lib/simulator/aws/simulated-lambda.ts';
import { simulatedQueue } from '../../../lib/simulator/aws/simulated-queue.ts';
import { type Timetable, timetableFrom } from '../../../lib/simulator/timetable.ts';
import { aRunReport } from '../../builders/decisions.ts';
import { recordingRuntime, UNUSED } from '../../operator/messages.ts';

const CLUSTERS = Array.from({ length: 10 }, (_, index) => `cluster-${index}`);
const RUN_MS = 500;
const MINUTES = 15;

/** One run of a cluster, in one process of Lambda. */
type Run = (world: {
  readonly timetable: Timetable;
  readonly process: object;
  readonly cluster: string;
}) => Promise<void>;

interface Played {
  /** How to run the last two clusters. @default like the others */
  readonly hung?: Run;
  /** How often the hung clusters get a wake besides the tick. @default never */
  readonly hungWakesEveryMs?: number;
}

/** A process of Lambda keeps its memory from invocation to invocation, and handles one at a time. */
interface Process {
  readonly hung: WakeRuntime['hung'];
}

const healthy: Run = async ({ timetable }) => timetable.wait(RUN_MS);

/** *Shape:* how long the wakes of the eight other clusters waited for the end of their run, in seconds, sorted. */
async function delaysOf({ hung = healthy, hungWakesEveryMs }: Played): Promise<readonly number[]> {
  const timetable = timetableFrom(0);
  const idle: Process[] = [];
  const delays: number[] = [];
  const sentMs = new Map<string, number>();
  const isHung = (cluster: string): boolean => CLUSTERS.indexOf(cluster) >= 8;
  const queue = simulatedQueue(timetable, {
    plan: WAKE_PLAN,
    windowMs: SECOND_MS,
    invoke: async (messages) => {
      const process = idle.pop() ?? { hung: hungClusters(timetable) };
      const { telemetry } = recordingRuntime().runtime;
      const runtime: WakeRuntime = { telemetry, redelivery: queue, hung: process.hung, portsOf: async () => UNUSED };
      const reconcile: Reconcile = async (_, { cluster, reason }): Promise<RunReport> => {
        await (isHung(cluster) ? hung : healthy)({ timetable, process, cluster });
        if (!isHung(cluster)) {
          for (const one of reason.split('+')) delays.push((timetable.now() - (sentMs.get(one) ?? 0)) / SECOND_MS);
        }
        return aRunReport({ cluster });
      };
      const failed = await handleWakes(runtime, { messages, timer: invocationTimer(timetable) }, reconcile);
      idle.push(process);
      return failed;
    },
  });
  let sent = 0;
  const send = (cluster: string): void => {
    sent += 1;
    sentMs.set(`wake-${sent}`, timetable.now());
    queue.send(JSON.stringify({ cluster, reason: `wake-${sent}` }));
  };
  const every = (ms: number, fromMs: number, cluster: string): void => {
    for (let atMs = fromMs; atMs < MINUTES * MINUTE_MS; atMs += ms) timetable.after(atMs, () => send(cluster));
  };
  for (const [index, cluster] of CLUSTERS.entries()) {
    every(MINUTE_MS, index * 6 * SECOND_MS, cluster);
    if (!isHung(cluster)) every(5 * SECOND_MS, index * 700, cluster);
    else if (hungWakesEveryMs !== undefined) every(hungWakesEveryMs, index * 700, cluster);
  }
  while (await timetable.step(MINUTES * MINUTE_MS + MINUTE_MS));
  return delays.toSorted((a, b) => a - b);
}

function p99(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.POSITIVE_INFINITY;
}

/** As the client of the API server: ten seconds without an answer, then calls fail at once for 20 s in this process. */
function silentServer(): Run {
  const untilMs = new Map<object, Map<string, number>>();
  return async ({ timetable, process, cluster }) => {
    const own = untilMs.get(process) ?? new Map<string, number>();
    untilMs.set(process, own);
    if (timetable.now() >= (own.get(cluster) ?? 0)) {
      await timetable.wait(10 * SECOND_MS);
      own.set(cluster, timetable.now() + 20 * SECOND_MS);
    }
    throw new UnreachableError('no answer');
  };
}

const neverEnds: Run = async () => await new Promise<never>(() => {});

test.each<[string, Played]>([
  ['do not answer, while their webhooks still send wakes', { hung: silentServer(), hungWakesEveryMs: 5 * SECOND_MS }],
  ['do not answer', { hung: silentServer() }],
  ['hold a run until the time limit of the function', { hung: neverEnds }],
])('two of ten clusters that %s delay the runs of the others by two seconds at most', async (_, played) => {
  const [without, withHung] = [await delaysOf({}), await delaysOf(played)];
  expect(withHung.length).toBeGreaterThanOrEqual(without.length);
  expect(p99(withHung) - p99(without)).toBeLessThanOrEqual(2);
});
