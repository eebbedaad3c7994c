import { parseDuration } from '../../apis/formats/duration.ts';
import { optional } from '../../apis/optional.ts';
import type { Action } from '../../core/model/decision.ts';
import type { Deletion, NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import type { HasClock, SendsWakes, WritesClaims } from './ports.ts';

type DeleteNodeClaim = Action & { readonly kind: 'delete-node-claim' };

/** D18: records the deletion. A later request does not change the reason, and changes the deadline only to an earlier one. */
export async function markNodeClaimDeleted(
  ports: WritesClaims & SendsWakes & HasClock,
  cluster: string,
  action: DeleteNodeClaim,
): Promise<void> {
  const { store, messages, clock } = ports;
  const record = await store.readNodeClaim(cluster, action.nodeClaim);
  if (record === undefined || record.releasedAtMs !== undefined) return;
  const deletion = deletionOf(record, action, clock.now());
  if (deletion !== record.deletion) await store.updateNodeClaim({ ...record, deletion });
  const wakes = await Promise.allSettled([
    messages.wake('termination', { cluster, reason: action.reason, nodeClaim: record.name }),
    // Pods of the node need another node before they are evicted (B7).
    messages.wake('provisioning', { cluster, reason: action.reason }),
  ]);
  for (const wake of wakes) if (wake.status === 'rejected') throw wake.reason;
}

function deletionOf(record: NodeClaimRecord, action: DeleteNodeClaim, nowMs: number): Deletion {
  const { reason, message, deadlineMs, atRest } = action;
  const { deletion } = record;
  if (deletion !== undefined) {
    const isEarlier = deadlineMs !== undefined && deadlineMs < (deletion.deadlineMs ?? Infinity);
    return isEarlier ? { ...deletion, deadlineMs } : deletion;
  }
  const grace = record.spec.terminationGracePeriod;
  const graceMs = grace === undefined ? undefined : parseDuration(grace);
  const latestMs = deadlineMs ?? (graceMs === undefined ? undefined : nowMs + graceMs);
  return {
    reason,
    message,
    requestedAtMs: nowMs,
    ...optional({ deadlineMs: latestMs, atRest }),
  };
}
