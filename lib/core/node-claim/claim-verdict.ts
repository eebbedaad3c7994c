import type { Action, Blocked, Verdict } from '../model/decision.ts';
import type { DeletionReason, NodeClaimRecord } from '../model/node-claim-record.ts';
import type { Reason } from '../model/reasons.ts';

/** The next actions for a claim, and the record to write before they are carried out. */
export interface ClaimVerdict extends Verdict {
  readonly record: NodeClaimRecord;
  /** The record to write after all actions have succeeded. If one fails, the next run decides again. @default no change */
  readonly whenDone?: NodeClaimRecord;
  /** Refusals that are new since the last run: they are shown as Events. @default none */
  readonly news?: readonly Blocked[];
  /** B66: the record has the name of the node from now on, so provisioning can nominate it for pods. @default false */
  readonly isNamed?: boolean;
}

/** Why a claim is deleted. */
export interface DeletionCause {
  readonly reason: DeletionReason;
  readonly message: string;
  /** D18. @default the end of the claim's terminationGracePeriod, counted from the time at which the deletion is recorded */
  readonly deadlineMs?: number | undefined;
}

export function act(record: NodeClaimRecord, action: Action): ClaimVerdict {
  return { record, actions: [action], blocked: [], due: [] };
}

export function unchanged(record: NodeClaimRecord): ClaimVerdict {
  return { record, actions: [], blocked: [], due: [] };
}

export function blockedClaim(
  record: NodeClaimRecord,
  why: { readonly reason: Reason; readonly message: string },
): Blocked {
  return { subject: { kind: 'NodeClaim', name: record.name }, nodePool: record.nodePool, ...why, numbers: {} };
}
