import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Verdict } from './judge.ts';

/** The most CPU time of a seed, which other processes do not change. Most seeds take a second. */
const MAX_CPU_MS = 60_000;
/** A seed that uses no CPU time may wait for something that never happens. */
const MAX_REAL_MS = 30 * 60_000;
const LOOK_MS = 5_000;

export interface SeedRange {
  readonly from: number;
  readonly seeds: number;
  readonly workers: number;
  /** Called with each verdict. *Shape:* false to stop. */
  readonly onVerdict: (verdict: Verdict) => boolean;
}

/** Judges the seeds in several threads. The order of the verdicts depends on the threads; each verdict only on its seed. */
export async function judgeSeeds({ from, seeds, workers, onVerdict }: SeedRange): Promise<void> {
  let next = from;
  let isStopped = false;
  const take = (): number | undefined => (isStopped || next >= from + seeds ? undefined : next++);
  const run = async (): Promise<void> => {
    let worker = await startWorker();
    for (let seed = take(); seed !== undefined; seed = take()) {
      const verdict = await judged(worker, seed);
      if (verdict === undefined) {
        await worker.terminate();
        worker = await startWorker();
      }
      const message = `the seed took more than ${MAX_CPU_MS / 1_000} s of CPU time, or ${MAX_REAL_MS / 60_000} minutes`;
      const hung = { seed, theme: '', violation: { rule: 'the run ends', atMs: 0, message } };
      if (!onVerdict(verdict ?? hung)) isStopped = true;
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: Math.min(workers, seeds) }, run));
}

async function startWorker(): Promise<Worker> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url));
  await once(worker, 'online');
  return worker;
}

/** *Shape:* undefined if the seed does not end. */
async function judged(worker: Worker, seed: number): Promise<Verdict | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Verdict | undefined>();
  const startMs = performance.now();
  const before = await cpuMsOf(worker);
  const look = async (): Promise<void> => {
    const isTooLong = (await cpuMsOf(worker)) - before > MAX_CPU_MS || performance.now() - startMs > MAX_REAL_MS;
    if (isTooLong) resolve(undefined);
  };
  // A worker that has just failed has no CPU time any more.
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS);
  worker.once('message', resolve);
  worker.once('error', reject);
  worker.postMessage(seed, []);
  try {
    return await promise;
  } finally {
    clearInterval(timer);
    worker.removeAllListeners('message');
    worker.removeAllListeners('error');
  }
}

async function cpuMsOf(worker: Worker): Promise<number> {
  const { user, system } = await worker.cpuUsage();
  return (user + system) / 1_000;
}
