import { parseNillableDuration } from '../../../apis/formats/duration.ts';
import { formatTime } from '../../../apis/formats/time.ts';
import type { Condition, Node } from '../../../apis/kubernetes.ts';
import type { NodePool } from '../../../apis/node-pool.ts';
import type { ConditionOf } from '../../model/conditions.ts';
import {
  type Deletion,
  drainOverAt,
  type EarlyEnd,
  instanceOf,
  type NodeClaimRecord,
} from '../../model/node-claim-record.ts';
import type { Reason } from '../../model/reasons.ts';
import { quietSinceMs } from '../quiet-since.ts';
import { whyNotInitialized } from '../registration.ts';

/** D3. */
export const LONGEST_MESSAGE = 300;

/** The inputs beside the record. */
export interface ConditionsView {
  readonly node?: Node | undefined;
  /** `consolidatableSince`. @default the condition Consolidatable is not written */
  readonly consolidatableSinceMs?: number | undefined;
}

interface Answer {
  readonly status: Condition['status'];
  readonly reason: string;
  readonly message?: string;
  readonly sinceMs: number;
}

/** The condition types that Kerf writes to NodeClaims. Some of them are written only while they are true. */
const ANSWERS: Readonly<
  Record<ConditionOf<'NodeClaim'>, (record: NodeClaimRecord, view: ConditionsView) => Answer | undefined>
> = {
  Launched: launched,
  Registered: registered,
  Initialized: initialized,
  Ready: ready,
  ConsistentStateFound: consistentStateFound,
  Consolidatable: consolidatable,
  Drifted: drifted,
  DisruptionReason: disruptionReason,
  Drained: drained,
  VolumesDetached: volumesDetached,
  InstanceTerminating: instanceTerminating,
};

export const CONDITION_TYPES: readonly string[] = Object.keys(ANSWERS);

/** The conditions of a record. *Shape:* transition times come from the record, so that the same record gives the same conditions. */
export function conditionsOf(record: NodeClaimRecord, view: ConditionsView): readonly Condition[] {
  return Object.entries(ANSWERS).flatMap(([type, ask]) => {
    const answer = ask(record, view);
    if (answer === undefined) return [];
    const { status, reason, message = '', sinceMs } = answer;
    return [{ type, status, reason, message, lastTransitionTime: formatTime(sinceMs) }];
  });
}

function launched({ launch, createdAtMs }: NodeClaimRecord): Answer {
  if (launch.kind === 'launched') return { status: 'True', reason: 'Launched', sinceMs: launch.atMs };
  // D3: the error of EC2, cut to the maximum length.
  if (launch.kind === 'refused') {
    const reason = launch.throttled === true ? 'AwaitingReconciliation' : 'LaunchFailed';
    return notKnown(createdAtMs, reason, launch.message.slice(0, LONGEST_MESSAGE));
  }
  return notKnown(createdAtMs, 'AwaitingReconciliation');
}

function registered(record: NodeClaimRecord): Answer {
  const { launch, createdAtMs, registeredAtMs } = record;
  const lost = nodeLost(record);
  if (lost !== undefined) return lost;
  if (registeredAtMs !== undefined) return { status: 'True', reason: 'Registered', sinceMs: registeredAtMs };
  if (launch.kind !== 'launched') return notKnown(createdAtMs, 'AwaitingReconciliation');
  return notKnown(createdAtMs, 'NodeNotFound', `no node has registered for instance ${launch.instance.id}`);
}

function initialized(record: NodeClaimRecord, { node }: ConditionsView): Answer {
  const { createdAtMs, registeredAtMs, initializedAtMs } = record;
  const lost = nodeLost(record);
  if (lost !== undefined) return lost;
  if (initializedAtMs !== undefined) return { status: 'True', reason: 'Initialized', sinceMs: initializedAtMs };
  if (registeredAtMs === undefined || node === undefined) return notKnown(createdAtMs, 'AwaitingReconciliation');
  return notKnown(createdAtMs, 'NodeNotInitialized', whyNotInitialized(record, node));
}

/** The node was registered, and is missing now. */
function nodeLost({ nodeLostAtMs, nodeName = '' }: NodeClaimRecord): Answer | undefined {
  if (nodeLostAtMs === undefined) return undefined;
  return notKnown(
    nodeLostAtMs,
    'NodeNotFound',
    `node ${nodeName} has disappeared from the cluster, or its registration was removed`,
  );
}

/** A2.5. */
function ready(record: NodeClaimRecord, view: ConditionsView): Answer {
  const missing = [launched(record), registered(record), initialized(record, view)].find(
    ({ status }) => status !== 'True',
  );
  return missing ?? { status: 'True', reason: 'Ready', sinceMs: record.initializedAtMs ?? record.createdAtMs };
}

/** D10: True after the initialization, while claim, node and instance are consistent. */
function consistentStateFound({ consistency, initializedAtMs }: NodeClaimRecord): Answer | undefined {
  const { finding, sinceMs = 0 } = consistency ?? {};
  if (finding !== undefined) return { status: 'False', ...finding, sinceMs };
  if (initializedAtMs === undefined) return undefined;
  return { status: 'True', reason: 'ConsistentStateFound', sinceMs: Math.max(initializedAtMs, sinceMs) };
}

function consolidatable(_record: NodeClaimRecord, { consolidatableSinceMs }: ConditionsView): Answer | undefined {
  if (consolidatableSinceMs === undefined) return undefined;
  return { status: 'True', reason: 'Consolidatable', sinceMs: consolidatableSinceMs };
}

/** D13: the time since when its pods have not changed for the consolidateAfter of its NodePool; undefined if it is not over. */
export function consolidatableSince(
  record: NodeClaimRecord,
  nodePool: NodePool | undefined,
  nowMs: number,
): number | undefined {
  const afterMs = nodePool && parseNillableDuration(nodePool.spec.disruption.consolidateAfter);
  if (record.initializedAtMs === undefined || afterMs === undefined) return undefined;
  const sinceMs = quietSinceMs(record) + afterMs;
  return nowMs < sinceMs ? undefined : sinceMs;
}

/** D34, D35. */
function drifted({ drift, launch }: NodeClaimRecord): Answer | undefined {
  return drift && launch.kind === 'launched' ? { status: 'True', ...drift } : undefined;
}

function disruptionReason({ deletion }: NodeClaimRecord): Answer | undefined {
  if (deletion === undefined) return undefined;
  const { reason, message, requestedAtMs: sinceMs } = deletion;
  return { status: 'True', reason: inOneWord(reason), message, sinceMs };
}

/** A reason in the form of conditions and events: `SpotInterrupted` for `spot_interrupted`. */
export function inOneWord(reason: string): string {
  return reason.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function drained({ deletion, registeredAtMs }: NodeClaimRecord): Answer | undefined {
  const { drainStartedAtMs, volumesAwaitedSinceMs } = deletion ?? {};
  if (registeredAtMs === undefined || deletion === undefined || drainStartedAtMs === undefined) return undefined;
  const drainedAtMs = volumesAwaitedSinceMs ?? drainOverAt(deletion);
  if (drainedAtMs === undefined) {
    const { reason = 'Draining', message } = deletion.evictionsRefused?.never ?? {};
    return notKnown(drainStartedAtMs, reason, message);
  }
  const end = endOfDrain(deletion);
  if (end !== undefined) return { status: 'False', reason: end, sinceMs: drainedAtMs };
  return { status: 'True', reason: 'Drained', sinceMs: drainedAtMs };
}

/** A claim that waited for volumes, or whose volumes are unknown, was drained before. */
function endOfDrain({ endedEarlyBy, volumesAwaitedSinceMs }: Deletion): EarlyEnd | undefined {
  return volumesAwaitedSinceMs === undefined && endedEarlyBy !== 'VolumesUnknown' ? endedEarlyBy : undefined;
}

/** D25: only of a claim whose instance waited for volumes. */
function volumesDetached({ deletion }: NodeClaimRecord): Answer | undefined {
  const { volumesAwaitedSinceMs, deadlineMs = Infinity } = deletion ?? {};
  if (deletion === undefined || volumesAwaitedSinceMs === undefined) return undefined;
  const sinceMs = drainOverAt(deletion);
  if (sinceMs === undefined) return notKnown(volumesAwaitedSinceMs, 'AwaitingVolumeDetachment');
  const end = deletion.endedEarlyBy ?? (sinceMs >= deadlineMs ? 'TerminationGracePeriodElapsed' : undefined);
  if (end !== undefined) return { status: end === 'VolumesUnknown' ? 'Unknown' : 'False', reason: end, sinceMs };
  return { status: 'True', reason: 'VolumesDetached', sinceMs };
}

function instanceTerminating(record: NodeClaimRecord): Answer | undefined {
  const refused = record.deletion?.terminationRefused;
  if (refused !== undefined) {
    const { reason = 'TerminationRefused' satisfies Reason, message, sinceMs } = refused;
    return { status: 'False', reason, message, sinceMs };
  }
  const sinceMs = record.deletion?.terminateRequestedAtMs;
  if (sinceMs === undefined || instanceOf(record) === undefined) return undefined;
  return { status: 'True', reason: 'InstanceTerminating', sinceMs };
}

function notKnown(sinceMs: number, reason: string, message = ''): Answer {
  return { status: 'Unknown', reason, message, sinceMs };
}
