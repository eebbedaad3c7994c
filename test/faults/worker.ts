import { parentPort } from 'node:worker_threads';
import { judge } from './judge.ts';

/** Judges the seeds that the main thread sends, one after the other. */
parentPort?.on('message', (seed: number) => {
  judge(seed).then(
    (verdict) => parentPort?.postMessage(verdict, []),
    (error: unknown) => {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      parentPort?.postMessage({ seed, theme: '', violation: { rule: 'the run does not throw', atMs: 0, message } }, []);
    },
  );
});
