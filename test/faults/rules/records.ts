import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import type { RuleOf } from '../rule.ts';
import { losesNodes } from './nodes.ts';

/** Fields that never change after the record was created. */
const FIXED = ['cluster', 'name', 'decisionId', 'nodePool', 'createdAtMs'] as const;
/** Fields of the deletion that never change after they were set. */
const FIXED_IN_DELETION = ['reason', 'message', 'requestedAtMs', 'drainStartedAtMs'] as const;

/** A read of the table takes at most this long. */
const READ_MS = 3 * SECOND_MS;

/** A run lasts at most this long. */
export const RUN_MS = MINUTE_MS;

/** A record never goes back to an earlier state, and a released record never changes (promise 1). */
export const recordsGoForward: RuleOf = (watched) => {
  const { violate, story, objectOf, nowMs } = watched;
  const isAgain = losesNodes(watched);
  let replacedAtMs = -Infinity;
  return {
    replaced() {
      replacedAtMs = nowMs();
    },
    recordWritten(after, before) {
      // A run that began before a restore may write the record that it read.
      if (before === undefined || nowMs() - replacedAtMs < RUN_MS) return;
      for (const why of whyNotForward(before, after, isAgain))
        violate('a record never goes back', `NodeClaim ${after.name}: ${why}`);
    },
    staleRead(method, name) {
      // A read may have begun before the table was replaced.
      if (nowMs() - replacedAtMs < READ_MS) return;
      if (!story.faults.some((one) => one.kind === 'unreadable-record' && objectOf(one) === name))
        violate('every stored record is read', `${method} did not return the last version of ${name}`);
    },
    recordKept(asked, kept) {
      if (asked.decisionId !== kept.decisionId)
        violate(
          'a NodeClaim is not created with the name of another one',
          `NodeClaim ${asked.name}: ${asked.decisionId} was to replace the record of ${kept.decisionId}`,
        );
    },
  };
};

function whyNotForward(before: NodeClaimRecord, after: NodeClaimRecord, isAgain: boolean): readonly string[] {
  const why: string[] = [];
  if (before.releasedAtMs !== undefined) why.push(`the released record was written: ${changes(before, after)}`);
  if (after.version !== before.version + 1) why.push(`version ${before.version} became ${after.version}`);
  for (const field of FIXED)
    if (before[field] !== after[field]) why.push(`${field} changed from ${before[field]} to ${after[field]}`);
  why.push(...launchChanges(before, after), ...deletionChanges(before, after));
  for (const field of isAgain ? [] : (['registeredAtMs', 'initializedAtMs'] as const)) {
    if (before[field] !== undefined && after[field] !== undefined && before[field] !== after[field])
      why.push(`${field} changed from ${before[field]} to ${after[field]}`);
  }
  return why;
}

function changes(before: NodeClaimRecord, after: NodeClaimRecord): string {
  const old: Readonly<Record<string, unknown>> = { ...before };
  return Object.entries(after)
    .filter(([key, value]) => JSON.stringify(old[key]) !== JSON.stringify(value))
    .map(([key, value]) => `${key} = ${JSON.stringify(value)}`.slice(0, 100))
    .join(', ');
}

function launchChanges({ launch: before }: NodeClaimRecord, { launch: after }: NodeClaimRecord): readonly string[] {
  if (before.kind === 'launched') {
    if (after.kind !== 'launched') return [`a launched claim became ${after.kind}`];
    return before.instance.id === after.instance.id
      ? []
      : [`instance ${before.instance.id} became ${after.instance.id}`];
  }
  if (before.kind === 'requested' && after.kind === 'requested') {
    if (before.attempt !== after.attempt)
      return ['a new attempt began before the outcome of the last one was recorded'];
    return JSON.stringify(before.request) === JSON.stringify(after.request) ? [] : ['the recorded request changed'];
  }
  if (before.kind === 'refused' && after.kind === 'requested' && after.attempt !== before.attempt + 1)
    return [`attempt ${before.attempt} was followed by attempt ${after.attempt}`];
  return before.kind !== 'planned' && after.kind === 'planned' ? [`${before.kind} became planned`] : [];
}

function deletionChanges(
  { deletion: before }: NodeClaimRecord,
  { deletion: after }: NodeClaimRecord,
): readonly string[] {
  if (before === undefined) return [];
  if (after === undefined) return ['the deletion was taken back'];
  const why = FIXED_IN_DELETION.filter((field) => before[field] !== undefined && before[field] !== after[field]).map(
    (field) => `deletion.${field} changed from ${before[field]} to ${after[field]}`,
  );
  // D18: the earlier of two deadlines wins.
  if (before.deadlineMs !== undefined && !(after.deadlineMs !== undefined && after.deadlineMs <= before.deadlineMs))
    why.push(`the deadline ${before.deadlineMs} became ${after.deadlineMs}`);
  return why;
}
