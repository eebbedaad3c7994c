import { parseTime } from '../../apis/formats/time.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { type ConditionFinding, holds } from '../model/conditions.ts';
import type { DeletionReason, NodeClaimRecord } from '../model/node-claim-record.ts';

const TYPE = 'NodeRegistrationHealthy';
/** D9: the number of latest outcomes, and the number of failures among them that make the pool unhealthy. */
const LATEST = 4;
const FAILURE_THRESHOLD = 2;
const FAILURES: readonly DeletionReason[] = ['launch_timeout', 'registration_timeout'];

export interface RegistrationView {
  readonly nodePool: NodePool;
  readonly records: readonly NodeClaimRecord[];
  /** True if neither the pool nor its NodeClass was changed since the condition was written. */
  readonly sameGeneration: boolean;
}

/**
 * D9: whether the pool's instances register as nodes. The outcomes are read from the claims: a registered claim counts while
 * it exists, and a failed one while it is being deleted. Without them the condition keeps its status until a node registers
 * after its transition, or until the pool or its NodeClass changes.
 */
export function registrationHealth({ nodePool, records, sameGeneration }: RegistrationView): ConditionFinding {
  const outcomes = records.flatMap(outcomeOf).toSorted((a, b) => b.atMs - a.atMs);
  const former = nodePool.status?.conditions?.find(({ type }) => type === TYPE);
  const known = sameGeneration && former !== undefined ? former : undefined;
  const since = known?.lastTransitionTime;
  const sinceMs = since === undefined ? Number.NEGATIVE_INFINITY : parseTime(since);
  const failed = outcomes.slice(0, LATEST).filter(({ registered }) => !registered).length;
  if (failed >= FAILURE_THRESHOLD) {
    const message = `${failed} of the last ${Math.min(outcomes.length, LATEST)} instances did not register as nodes in time`;
    return { type: TYPE, status: 'False', reason: 'RegistrationFailed', message };
  }
  const hasRecovered = outcomes.some(({ registered, atMs }) => registered && atMs > sinceMs);
  if (hasRecovered || known?.status === 'True') return holds(TYPE);
  if (known !== undefined) {
    const { status, reason = TYPE, message = '' } = known;
    return { type: TYPE, status, reason, message };
  }
  return {
    type: TYPE,
    status: 'Unknown',
    reason: 'AwaitingReconciliation',
    message: 'no instance has been launched yet',
  };
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
