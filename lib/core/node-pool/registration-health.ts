import { formatTime, timeIn } from '../../apis/formats/time.ts';
import type { Condition } from '../../apis/kubernetes.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { type ConditionFinding, holds } from '../model/conditions.ts';
import type { DeletionReason, NodeClaimRecord } from '../model/node-claim-record.ts';
import { waitsForTurn } from '../node-claim/launch/launch.ts';

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
 * it exists, and a failed one while it is being deleted, unless its launch was not tried or EC2 throttled it. The message names the last failure, so that it counts together with
 * the next one, also if a single pod is pending and one claim follows the other. Without outcomes the condition keeps its status
 * until a node registers after its transition, or until the pool or its NodeClass changes.
 */
export function registrationHealth({ nodePool, records, sameGeneration }: RegistrationView): ConditionFinding {
  const former = nodePool.status?.conditions?.find(({ type }) => type === TYPE);
  const known = sameGeneration && former !== undefined ? former : undefined;
  const seen = records.flatMap(outcomeOf);
  const noted = notedFailure(known).filter(({ nodeClaim }) => !seen.some((one) => one.nodeClaim === nodeClaim));
  const outcomes = [...seen, ...noted].toSorted((a, b) => b.atMs - a.atMs);
  const failures = outcomes.slice(0, LATEST).filter(({ registered }) => !registered);
  const [failure] = failures;
  if (failures.length >= FAILURE_THRESHOLD) {
    const message = `${failures.length} of the last ${Math.min(outcomes.length, LATEST)} instances did not register as nodes in time`;
    return { type: TYPE, status: 'False', reason: 'RegistrationFailed', message };
  }
  const sinceMs = timeIn(known?.lastTransitionTime) ?? Number.NEGATIVE_INFINITY;
  const hasRecovered = outcomes.some(({ registered, atMs }) => registered && atMs > sinceMs);
  if (hasRecovered || known?.status === 'True') return holds(TYPE, failure && noteOf(failure));
  if (known?.status === 'False') {
    const { status, reason = TYPE, message = '' } = known;
    return { type: TYPE, status, reason, message };
  }
  const message = failure === undefined ? 'no instance has become a node yet' : noteOf(failure);
  return { type: TYPE, status: 'Unknown', reason: 'AwaitingReconciliation', message };
}

interface Outcome {
  readonly nodeClaim: string;
  readonly registered: boolean;
  readonly atMs: number;
}

function outcomeOf(record: NodeClaimRecord): readonly Outcome[] {
  const { name: nodeClaim, registeredAtMs, deletion } = record;
  if (registeredAtMs !== undefined) return [{ nodeClaim, registered: true, atMs: registeredAtMs }];
  if (deletion === undefined || !FAILURES.includes(deletion.reason) || waitsForTurn(record)) return [];
  return [{ nodeClaim, registered: false, atMs: deletion.requestedAtMs }];
}

function noteOf({ nodeClaim, atMs }: Outcome): string {
  return `NodeClaim ${nodeClaim} did not become a node in time and was deleted at ${formatTime(atMs)}`;
}

const NOTE = /^NodeClaim (\S+) did not become a node in time and was deleted at (\S+)$/;

/** The failure that the condition names. */
function notedFailure(known: Condition | undefined): readonly Outcome[] {
  const [, nodeClaim, time] = NOTE.exec(known?.message ?? '') ?? [];
  const atMs = timeIn(time);
  return nodeClaim === undefined || atMs === undefined ? [] : [{ nodeClaim, registered: false, atMs }];
}
