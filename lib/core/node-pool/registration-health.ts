import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { formatTime, SECOND_MS, timeIn } from '../../apis/formats/time.ts';
import type { Condition } from '../../apis/kubernetes.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { compareText } from '../compare-text.ts';
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
  /** True if neither the pool nor its NodeClass was changed since the condition was written (`isSameGeneration`). */
  readonly sameGeneration: boolean;
}

/** Whether the conditions of the NodePool are of its present generation, and of that of its NodeClass (A1.23). */
export function isSameGeneration(
  { metadata: { generation }, status }: NodePool,
  nodeClass: EC2NodeClass | undefined,
): boolean {
  const isCurrent = ({ observedGeneration = generation }: Condition): boolean => observedGeneration === generation;
  return (
    status?.nodeClassObservedGeneration === nodeClass?.metadata.generation &&
    status?.conditions?.every(isCurrent) === true
  );
}

/**
 * D9: whether the pool's instances register as nodes. The outcomes are read from the claims: a registered claim counts while
 * it exists, and a failed one while it is being deleted, unless its launch was not tried or EC2 throttled it. The message names the last
 * failure, so that it counts together with the next one, also if a single pod is pending and one claim follows the other. Without outcomes
 * the condition keeps its status until a node registers after its transition, or until the pool or its NodeClass changes.
 */
export function registrationHealth(view: RegistrationView): ConditionFinding {
  const known = knownCondition(view);
  const seen = view.records.flatMap(outcomeOf);
  const noted = notedFailure(known).filter(({ nodeClaim }) => !seen.some((one) => one.nodeClaim === nodeClaim));
  const outcomes = [...seen, ...noted].toSorted((a, b) => b.atMs - a.atMs || compareText(a.nodeClaim, b.nodeClaim));
  const failures = outcomes.slice(0, LATEST).filter(({ registered }) => !registered);
  const [failure] = failures;
  if (failure !== undefined && failures.length >= FAILURE_THRESHOLD) {
    const share = `${failures.length} of the last ${Math.min(outcomes.length, LATEST)} instances`;
    const message = `${share} did not register as nodes in time: ${noteOf(failure)}`;
    return { type: TYPE, status: 'False', reason: 'RegistrationFailed', message };
  }
  const sinceMs = timeIn(known?.lastTransitionTime) ?? Number.NEGATIVE_INFINITY;
  const hasRecovered = outcomes.some(({ registered, atMs }) => registered && atMs > sinceMs);
  if (hasRecovered || known?.status === 'True') return holds(TYPE, failure && noteOf(failure));
  if (known?.status === 'False') {
    const { status, reason = TYPE, message = '' } = known;
    const isNamed = failure === undefined || message.endsWith(noteOf(failure));
    return { type: TYPE, status, reason, message: isNamed ? message : noteOf(failure) };
  }
  const message = failure === undefined ? 'no instance has become a node yet' : noteOf(failure);
  return { type: TYPE, status: 'Unknown', reason: 'AwaitingReconciliation', message };
}

/** That the instances of a pool do not register as nodes. */
export interface RegistrationFailure {
  readonly message: string;
  /** Since when the condition is False; the time of the last failure if it becomes False now. */
  readonly sinceMs: number;
  /** When the last of the failed claims was deleted. */
  readonly lastMs: number;
}

/**
 * What a decision reads of the condition, with failures that it does not have yet.
 * *Shape:* undefined if the condition is not False, or names no failure.
 */
export function registrationFailure(view: RegistrationView): RegistrationFailure | undefined {
  const { status, message } = registrationHealth(view);
  const [failure] = status === 'False' ? notedFailure({ message }) : [];
  if (failure === undefined) return undefined;
  const known = knownCondition(view);
  const sinceMs = known?.status === 'False' ? timeIn(known.lastTransitionTime) : undefined;
  return { message, sinceMs: sinceMs ?? failure.atMs, lastMs: failure.atMs };
}

function knownCondition({ nodePool, sameGeneration }: RegistrationView): Condition | undefined {
  return sameGeneration ? nodePool.status?.conditions?.find(({ type }) => type === TYPE) : undefined;
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
  // In whole seconds, as in the message: of claims that fail together, the same one is named while their records end.
  const atMs = Math.floor(deletion.requestedAtMs / SECOND_MS) * SECOND_MS;
  return [{ nodeClaim, registered: false, atMs }];
}

function noteOf({ nodeClaim, atMs }: Outcome): string {
  return `NodeClaim ${nodeClaim} did not become a node in time and was deleted at ${formatTime(atMs)}`;
}

const NOTE = /NodeClaim (\S+) did not become a node in time and was deleted at (\S+)$/;

/** The failure that the condition names. */
function notedFailure(known: Pick<Condition, 'message'> | undefined): readonly Outcome[] {
  const [, nodeClaim, time] = NOTE.exec(known?.message ?? '') ?? [];
  const atMs = timeIn(time);
  return nodeClaim === undefined || atMs === undefined ? [] : [{ nodeClaim, registered: false, atMs }];
}
