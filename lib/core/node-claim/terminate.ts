import { MINUTE_MS, SECOND_MS } from '../../apis/formats/time.ts';
import { nextTick, requeueAt } from '../model/decision.ts';
import {
  drainOverAt,
  type EarlyEnd,
  instanceOf,
  type NodeClaimRecord,
  type TerminationRefusal,
} from '../model/node-claim-record.ts';
import { act, blockedClaim, type ClaimVerdict, unchanged } from './claim-verdict.ts';
import { whyNotTagged } from './consistency.ts';
import { LISTED_AFTER_MS } from './launch/launch.ts';
import { LONGEST_MESSAGE } from './mirror/mirror-conditions.ts';

/** The pause after a refused termination: as long as EC2 has refused it, within these limits. */
const SHORTEST_PAUSE_MS = 5 * SECOND_MS;
const LONGEST_PAUSE_MS = 5 * MINUTE_MS;
/** The reason of an instance that Kerf does not terminate. */
const NOT_TAGGED = 'InstanceNotTagged';

/**
 * Terminates the instance of a deleted claim. The request is recorded after EC2 has accepted it: until then the node counts in
 * the budgets of its NodePool. The request is repeated while the instance runs. After a refusal, the next request waits. An early end
 * is recorded with the response, so that the request does not wait for the table.
 * *Source:* D26, E7.
 */
export function terminate(record: NodeClaimRecord, end: EarlyEnd | undefined, nowMs: number): ClaimVerdict {
  const { deletion } = record;
  const instance = instanceOf(record);
  if (deletion === undefined || instance === undefined) return unchanged(record);
  const { terminationRefused } = deletion;
  if (terminationRefused !== undefined && nowMs < terminationRefused.retryAtMs) {
    const { retryAtMs, reason = 'TerminationRefused', message } = terminationRefused;
    const blocked = [blockedClaim(record, { reason, message })];
    return { ...unchanged(withEarlyEnd(record, end)), blocked, due: [requeueAt(retryAtMs)] };
  }
  const accepted = terminating(withEarlyEnd(record, end), nowMs);
  return {
    ...act(record, { kind: 'terminate-instance', nodeClaim: record.name, instanceId: instance.id }),
    ...(accepted !== record && { whenDone: accepted }),
  };
}

/**
 * Promise 4: an instance without the ownership tags is not terminated. The claim is not released while the instance runs, so
 * that it counts in the limits of its NodePool. EC2 may return a new instance before its tags.
 */
export function awaitTags(record: NodeClaimRecord, nowMs: number): ClaimVerdict {
  const { deletion, launch } = record;
  if (deletion === undefined || launch.kind !== 'launched') return unchanged(record);
  const taggedByMs = launch.atMs + LISTED_AFTER_MS;
  if (nowMs < taggedByMs) return { ...unchanged(record), due: [requeueAt(taggedByMs)] };
  const why = { reason: NOT_TAGGED, message: whyNotTagged(record) } as const;
  const blocked = [blockedClaim(record, why)];
  const due = [nextTick(nowMs)];
  if (deletion.terminationRefused?.reason === NOT_TAGGED) return { ...unchanged(record), blocked, due };
  // No pause: the instance is terminated as soon as it has its tags again.
  const noted = refused(record, { ...why, sinceMs: nowMs, retryAtMs: nowMs }, nowMs);
  return { record: noted, actions: [], blocked, due, news: blocked };
}

/** The record of a claim whose instance EC2 shuts down. The time of the first accepted request is kept until a refusal. @internal */
export function terminating(record: NodeClaimRecord, nowMs: number): NodeClaimRecord {
  const { deletion } = record;
  if (deletion === undefined) return record;
  const { terminationRefused, ...rest } = deletion;
  if (deletion.terminateRequestedAtMs !== undefined && terminationRefused === undefined) return record;
  const drainOverAtMs = drainOverAt(deletion) ?? nowMs;
  return { ...record, deletion: { ...rest, drainOverAtMs, terminateRequestedAtMs: nowMs } };
}

/** The record of a claim whose instance EC2 is found to shut down. If Kerf has not requested it, EC2 did it by itself. */
export function shuttingDown(record: NodeClaimRecord, nowMs: number): NodeClaimRecord {
  const isEarly = record.deletion !== undefined && drainOverAt(record.deletion) === undefined;
  return terminating(withEarlyEnd(record, isEarly ? 'InstanceEnded' : undefined), nowMs);
}

/** Until EC2 accepts the termination. */
function withEarlyEnd(record: NodeClaimRecord, end: EarlyEnd | undefined): NodeClaimRecord {
  const { deletion } = record;
  const isKnown = (deletion?.endedEarlyBy ?? deletion?.terminateRequestedAtMs) !== undefined;
  if (deletion === undefined || end === undefined || isKnown) return record;
  return { ...record, deletion: { ...deletion, endedEarlyBy: end } };
}

interface RefusedTermination {
  readonly instanceId: string;
  readonly message: string;
  /** @default EC2 refused the request */
  readonly reason?: TerminationRefusal['reason'];
}

/** The record after the instance was not terminated; undefined if it does not change, or the instance is not that of a deleted claim. */
export function refusedTermination(
  record: NodeClaimRecord,
  { instanceId, message, reason }: RefusedTermination,
  nowMs: number,
): NodeClaimRecord | undefined {
  const { deletion, releasedAtMs } = record;
  if (deletion === undefined || releasedAtMs !== undefined || instanceOf(record)?.id !== instanceId) return undefined;
  if (reason === NOT_TAGGED) {
    const { record: noted } = awaitTags(record, nowMs);
    return noted === record ? undefined : noted;
  }
  // A refusal for missing tags was not EC2's: the pause begins anew.
  const before = deletion.terminationRefused?.reason === undefined ? deletion.terminationRefused : undefined;
  const sinceMs = before?.sinceMs ?? nowMs;
  const pauseMs = Math.min(Math.max(nowMs - sinceMs, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
  return refused(record, { message: message.slice(0, LONGEST_MESSAGE), sinceMs, retryAtMs: nowMs + pauseMs }, nowMs);
}

/** The record after the claim of an ended instance was not released; undefined if it does not change. */
export function failedRelease(record: NodeClaimRecord, message: string, nowMs: number): NodeClaimRecord | undefined {
  const { deletion, releasedAtMs } = record;
  const before = deletion?.releaseFailed;
  const last = message.slice(0, LONGEST_MESSAGE);
  if (deletion === undefined || releasedAtMs !== undefined || before?.message === last) return undefined;
  const releaseFailed = { message: last, sinceMs: before?.sinceMs ?? nowMs };
  return { ...record, deletion: { ...deletion, releaseFailed } };
}

/** An earlier request that EC2 accepted had no effect. */
function refused(record: NodeClaimRecord, terminationRefused: TerminationRefusal, nowMs: number): NodeClaimRecord {
  const { deletion } = record;
  if (deletion === undefined) return record;
  const { terminateRequestedAtMs: _ineffective, ...rest } = deletion;
  return { ...record, deletion: { ...rest, drainOverAtMs: drainOverAt(deletion) ?? nowMs, terminationRefused } };
}
