import { MINUTE_MS, SECOND_MS } from '../../apis/formats/time.ts';
import { type Due, POLL_MS, requeueAt } from '../model/decision.ts';

/** The pauses between polls of a drain that makes no progress. Each divides a minute, so every minute begins with a poll. */
const PAUSES_MS = [5, 10, 15, 20, 30, 60].map((seconds) => seconds * SECOND_MS);

/** The next poll of a drain that has made no progress since `sinceMs`: after a quarter of this time, at most a minute (D23). */
export function pollAfterWait(sinceMs: number, nowMs: number): Due {
  const pauseMs = PAUSES_MS.findLast((one) => one <= (nowMs - sinceMs) / 4) ?? POLL_MS;
  return requeueAt((Math.floor(nowMs / pauseMs) + 1) * pauseMs);
}

/** EC2 takes half a minute and longer to end an instance. */
const SHUT_DOWN_POLL_MS = 10 * SECOND_MS;

/** D26: the next look at an instance that EC2 ends, after half of the pause at least, at a time that those of all instances share. */
export function pollUntilEnded(nowMs: number): Due {
  return requeueAt(Math.round(nowMs / SHUT_DOWN_POLL_MS + 1) * SHUT_DOWN_POLL_MS);
}

/** Whether this is the poll in which claims share what is read once a minute. */
export function isFirstPollOfMinute(nowMs: number): boolean {
  return nowMs % MINUTE_MS < POLL_MS;
}
