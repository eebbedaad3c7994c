import { SECOND_MS } from '../../apis/formats/time.ts';
import { waitAtMost } from '../wait/waits.ts';
import type { ReportedRun } from './reported-run.ts';

const MAX_WAIT_MS = 2 * SECOND_MS;

/** Waits for a write for two seconds at most, and half of the remaining time. *Shape:* whether it is done; a failure is logged. */
export async function isDone(
  { timer, telemetry, report }: ReportedRun,
  failed: 'failed to mark a run' | 'failed to record a decision' | 'failed to record the usage of an hour',
  work: () => Promise<void>,
): Promise<boolean> {
  const waited = await waitAtMost(timer, MAX_WAIT_MS, failureOf(work()));
  const failure = waited.kind === 'ended' ? waited.result : new Error(`not written within ${waited.waitedMs} ms`);
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
