import { UnreachableError } from '../../ports/errors.ts';
import type { Timer } from '../../ports/timer.ts';

/** The time that the function needs to answer after it has abandoned a run. */
const RESERVE_MS = 3_000;

export class AbandonedError extends UnreachableError {}

/**
 * Abandons a run, so that a cluster whose API does not answer does not fail the other clusters of the batch.
 * *Errors:* AbandonedError.
 */
export async function withinTime<Result>(timer: Timer, work: Promise<Result>): Promise<Result> {
  const ms = timer.remainingMs() - RESERVE_MS;
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const cancel = timer.after(ms, () => {
    reject(new AbandonedError(`the run was abandoned after ${ms} ms, before the time limit of the function`));
  });
  try {
    return await Promise.race([work, expired]);
  } finally {
    cancel();
  }
}
