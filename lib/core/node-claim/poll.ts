import { MINUTE_MS, SECOND_MS, timeIn } from '../../apis/formats/time.ts';
import type { Pod } from '../../apis/kubernetes.ts';
import { deletedAtMs } from '../cluster/pods.ts';
import { type Due, POLL_MS, pollAfter, requeueAt } from '../model/decision.ts';
import type { Deletion } from '../model/node-claim-record.ts';

/** The pauses between polls of a drain that makes no progress. Each divides a minute, so every minute begins with a poll. */
const PAUSES_MS = [5, 10, 15, 20, 30, 60].map((seconds) => seconds * SECOND_MS);

/** The next poll of a drain that has made no progress since `sinceMs`: after a quarter of this time, at most a minute (D23). */
export function pollAfterWait(sinceMs: number, nowMs: number): Due {
  const pauseMs = pauseAfter(nowMs - sinceMs);
  return requeueAt((Math.floor(nowMs / pauseMs) + 1) * pauseMs);
}

function pauseAfter(waitedMs: number): number {
  return PAUSES_MS.findLast((one) => one <= waitedMs / 4) ?? POLL_MS;
}

/**
 * D23: a drain is polled every 5 s after a pod begins to end, and after its grace period ends, then less and less often. So most pods
 * are found gone within seconds, and a grace period of hours costs a poll a minute.
 */
export function nextDrainPoll(pods: readonly Pod[], deletion: Deletion, nowMs: number): Due {
  const change = pollAfter(Math.min(...changesOf(pods).filter((atMs) => atMs > nowMs)));
  const poll = pollAfterWait(waitsSince(pods, deletion, nowMs), nowMs);
  return change.atMs < poll.atMs ? change : poll;
}

function waitsSince(pods: readonly Pod[], deletion: Deletion, nowMs: number): number {
  const waitsSinceMs = deletion.evictionsRefused?.sinceMs ?? deletion.drainStartedAtMs ?? nowMs;
  const past = changesOf(pods).filter((atMs) => atMs <= nowMs);
  return Math.max(waitsSinceMs, deletion.interruptedAtMs ?? 0, ...past);
}

/** When pods begin to end, and when their grace periods end. */
function changesOf(pods: readonly Pod[]): readonly number[] {
  return pods.flatMap((pod) => [deletedAtMs(pod) ?? [], timeIn(pod.metadata.deletionTimestamp) ?? []]).flat();
}

/** EC2 takes half a minute and longer to end an instance. */
const SHUT_DOWN_POLL_MS = 10 * SECOND_MS;

/** D26: the next look at an instance that EC2 ends, after half of the pause at least, at a time that those of all instances share. */
export function pollUntilEnded(nowMs: number): Due {
  return requeueAt(Math.round(nowMs / SHUT_DOWN_POLL_MS + 1) * SHUT_DOWN_POLL_MS);
}

/** How late a run may be that is to read at the start of a minute what claims share. */
export const LATE_MS = 20 * SECOND_MS;

/** Whether this is the poll of a drain at the start of a minute, in which claims share what is read once a minute. It may be late. */
export function isFirstPollOfMinute(pods: readonly Pod[], deletion: Deletion, nowMs: number): boolean {
  const sinceStartMs = nowMs % MINUTE_MS;
  const startMs = nowMs - sinceStartMs;
  // The next poll comes after this pause.
  return sinceStartMs < Math.min(pauseAfter(startMs - waitsSince(pods, deletion, startMs)), LATE_MS);
}
