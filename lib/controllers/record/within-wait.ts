import { SECOND_MS } from '../../apis/formats/time.ts';
import type { ReportedRun } from './reported-run.ts';

const MAX_WAIT_MS = 2 * SECOND_MS;

/** Waits for a write for two seconds at most, and half of the remaining time. *Shape:* whether it is done; a failure is logged. */
export async function isDone(
  { timer, telemetry, report }: ReportedRun,
  failed: 'failed to mark a run' | 'failed to record a decision' | 'failed to record the usage of an hour',
  work: () => Promise<void>,
): Promise<boolean> {
  const { promise: expired, resolve } = Promise.withResolvers<Error>();
  const ms = Math.min(MAX_WAIT_MS, timer.remainingMs() / 2);
  const cancel = timer.after(ms, () => resolve(new Error(`not written within ${ms} ms`)));
  const failure = await Promise.race([failureOf(work()), expired]);
  cancel();
  if (failure === undefined) return true;
  const { cluster, controller } = report;
  telemetry.error(failed, failure, { cluster, controller });
  return false;
}

export async function failureOf(work: Promise<void>): Promise<Error | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
