import type { NodePool } from '../../apis/node-pool.ts';
import { parseTime } from '../../apis/time.ts';
import { type Finding, holds } from '../conditions.ts';
import type { DeletionReason, NodeClaimRecord } from '../node-claim/record.ts';

const TYPE = 'NodeRegistrationHealthy';
/** D9: of this many outcomes, this many failures are too many. */
const LATEST = 4;
const TOO_MANY = 2;
const FAILURES: readonly DeletionReason[] = ['launch_timeout', 'registration_timeout'];

export interface RegistrationView {
  readonly nodePool: NodePool;
  readonly records: readonly NodeClaimRecord[];
  /** Neither the pool nor its class was changed since the condition was written. */
  readonly sameGeneration: boolean;
}

/**
 * D9: whether the pool's instances become nodes. Nothing counts outcomes here: claims that registered are seen as long as
 * they live, those that did not as long as they are being deleted; afterwards the condition itself remembers, until a node
 * registers after it was written, or the pool or its class changes.
 */
export function registrationHealth({ nodePool, records, sameGeneration }: RegistrationView): Finding {
  const outcomes = records.flatMap(outcomeOf).toSorted((a, b) => b.atMs - a.atMs);
  const former = nodePool.status?.conditions?.find(({ type }) => type === TYPE);
  const known = sameGeneration && former !== undefined ? former : undefined;
  const since = known?.lastTransitionTime;
  const sinceMs = since === undefined ? Number.NEGATIVE_INFINITY : parseTime(since);
  const failed = outcomes.slice(0, LATEST).filter(({ registered }) => !registered).length;
  if (failed >= TOO_MANY) {
    const message = `${failed} of the last ${Math.min(outcomes.length, LATEST)} instances did not become nodes in time`;
    return { type: TYPE, status: 'False', reason: 'RegistrationFailed', message };
  }
  const isBetter = outcomes.some(({ registered, atMs }) => registered && atMs > sinceMs);
  if (isBetter || known?.status === 'True') return holds(TYPE);
  if (known !== undefined) {
    const { status, reason = TYPE, message = '' } = known;
    return { type: TYPE, status, reason, message };
  }
  return { type: TYPE, status: 'Unknown', reason: 'AwaitingReconciliation', message: 'no instance was launched yet' };
}

interface Outcome {
  readonly registered: boolean;
  readonly atMs: number;
}

function outcomeOf({ registeredAtMs, deletion }: NodeClaimRecord): readonly Outcome[] {
  if (registeredAtMs !== undefined) return [{ registered: true, atMs: registeredAtMs }];
  if (deletion === undefined || !FAILURES.includes(deletion.reason)) return [];
  return [{ registered: false, atMs: deletion.requestedAtMs }];
}
