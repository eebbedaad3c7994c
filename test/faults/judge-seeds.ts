import { Worker } from 'node:worker_threads';
import type { Verdict } from './judge.ts';

/** The longest real time of a seed. A longer one does not end. */
const MAX_SEED_MS = 120_000;

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
    let worker = new Worker(new URL('./worker.ts', import.meta.url));
    for (let seed = take(); seed !== undefined; seed = take()) {
      const verdict = await judged(worker, seed);
      if (verdict === undefined) {
        await worker.terminate();
        worker = new Worker(new URL('./worker.ts', import.meta.url));
      }
      const message = `the seed ran for more than ${MAX_SEED_MS / 1_000} s`;
      const hung = { seed, theme: '', violation: { rule: 'the run ends', atMs: 0, message } };
      if (!onVerdict(verdict ?? hung)) isStopped = true;
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: Math.min(workers, seeds) }, run));
}

/** *Shape:* undefined if the seed does not end. */
async function judged(worker: Worker, seed: number): Promise<Verdict | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Verdict | undefined>();
  const timer = setTimeout(() => resolve(undefined), MAX_SEED_MS);
  worker.once('message', resolve);
  worker.once('error', reject);
  worker.postMessage(seed, []);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    worker.removeAllListeners('message');
    worker.removeAllListeners('error');
  }
}
