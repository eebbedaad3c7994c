import { MINUTE_MS, SECOND_MS } from '../../apis/formats/time.ts';
import { type Due, requeueAt } from '../model/decision.ts';

/** D23, D26: the interval at which refused evictions are retried, and the state of the instance is read. */
const POLL_MS = 5 * SECOND_MS;

/** The time of the next poll, rounded so that all claims share one wake. */
export function pollAfter(nowMs: number): Due {
  return requeueAt((Math.floor(nowMs / POLL_MS) + 1) * POLL_MS);
}

/** Whether this is the poll in which claims share what is read once a minute. */
export function isFirstPollOfMinute(nowMs: number): boolean {
  return nowMs % MINUTE_MS < POLL_MS;
}
