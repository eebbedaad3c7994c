import { SECOND_MS } from '../../apis/formats/time.ts';
import { optional } from '../../apis/optional.ts';
import type { Action } from '../../core/model/decision.ts';
import type { Deletion, DeletionReason, NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { graceDeadlineMs } from '../../core/node-claim/grace-deadline.ts';
import { INTERRUPTIONS, isInterrupted } from '../../core/node-claim/turn.ts';
import { StaleRecordError } from '../../ports/errors.ts';
import type { HasClock, SendsWakes, WritesClaims } from '../run/ports.ts';
import { type LostWakes, sendWakes } from '../run/wake-up.ts';

type DeleteNodeClaim = Action & { readonly kind: 'delete-node-claim' };

/**
 * D18: records the deletion. A later request does not change the reason, and changes the deadline only to an earlier one. A warning of EC2
 * is noted, because the drain must then end within two minutes.
 * *Shape:* the wakes that could not be sent.
 */
export async function markNodeClaimDeleted(
  ports: WritesClaims & SendsWakes & HasClock,
  cluster: string,
  action: DeleteNodeClaim,
): Promise<LostWakes> {
  const record = await recordDeletion(ports, cluster, action);
  if (record === undefined) return [];
  return wakeForDeletion(ports, cluster, { name: record.name, reason: action.reason });
}

/** For a claim whose deletion is recorded. *Shape:* the wakes that could not be sent. */
export async function wakeForDeletion(
  ports: SendsWakes,
  cluster: string,
  { name, reason }: { readonly name: string; readonly reason: string },
): Promise<LostWakes> {
  return sendWakes(ports, [
    ['termination', { cluster, reason, nodeClaim: name }],
    // Pods of the node need another node before they are evicted (B7).
    ['provisioning', { cluster, reason }],
  ]);
}

/** The number of times that the record is read, if other runs write it in between. */
const MAX_TRIES = 3;

/**
 * A run that repeats a decision sends its wakes again, because the first ones may be lost. After this time it does not: such a run may
 * be woken by them, so that provisioning would repeat a decision that cannot be finished each second.
 */
const WAKES_AGAIN_MS = 5 * SECOND_MS;

/** What EC2 reports once, so that a drain does not wait for its next poll. An event whose wakes were lost is delivered again. */
const REPORTED_ONCE: ReadonlySet<string> = new Set<DeletionReason>([
  ...INTERRUPTIONS,
  'scheduled_change',
  'instance_stopped',
  'instance_terminated',
]);

/** *Shape:* undefined if no wake is needed: the claim is released, or its deletion is older than a few seconds and no event of EC2. */
async function recordDeletion(
  { store, clock }: WritesClaims & HasClock,
  cluster: string,
  action: DeleteNodeClaim,
): Promise<NodeClaimRecord | undefined> {
  for (let tries = 1; ; tries += 1) {
    const record = await store.readNodeClaim(cluster, action.nodeClaim);
    if (record === undefined || record.releasedAtMs !== undefined) return undefined;
    const nowMs = clock.now();
    const deletion = deletionOf(record, action, nowMs);
    if (deletion === record.deletion) {
      const isNew = nowMs < deletion.requestedAtMs + WAKES_AGAIN_MS;
      return isNew || REPORTED_ONCE.has(action.reason) ? record : undefined;
    }
    try {
      return await store.updateNodeClaim({ ...record, deletion });
    } catch (error) {
      if (!(error instanceof StaleRecordError) || tries === MAX_TRIES) throw error;
    }
  }
}

function deletionOf(record: NodeClaimRecord, action: DeleteNodeClaim, nowMs: number): Deletion {
  const { reason, message, deadlineMs, atRest } = action;
  const { deletion } = record;
  if (deletion !== undefined) {
    const isEarlier = deadlineMs !== undefined && deadlineMs < (deletion.deadlineMs ?? Infinity);
    const isFirstWarning = INTERRUPTIONS.includes(reason) && !isInterrupted({ deletion });
    if (!isEarlier && !isFirstWarning) return deletion;
    return { ...deletion, ...(isEarlier && { deadlineMs }), ...(isFirstWarning && { interruptedAtMs: nowMs }) };
  }
  const latestMs = deadlineMs ?? graceDeadlineMs(record.spec, nowMs);
  return {
    reason,
    message,
    requestedAtMs: nowMs,
    ...optional({ deadlineMs: latestMs, atRest }),
  };
}
