import { MINUTE_MS, parseTime, SECOND_MS } from '../../apis/formats/time.ts';
import { optional } from '../../apis/optional.ts';
import { isNodeReady } from '../cluster/state-node.ts';
import { nextTick, pollAfter, requeueAt } from '../model/decision.ts';
import type { Instance, NodeClaimRecord } from '../model/node-claim-record.ts';
import type { Reason } from '../model/reasons.ts';
import { type Observed, readOr, type Unread, whyNotRead } from '../observed.ts';
import { act, blockedClaim, type ClaimVerdict, type DeletionCause, unchanged } from './claim-verdict.ts';
import { type ConsistencyView, withConsistency } from './consistency.ts';
import { type DriftView, withDrift } from './drift/drift.ts';
import { withExpectedNode } from './expected-node.ts';
import { graceDeadlineMs } from './grace-deadline.ts';
import { expiredMessage, expiryDeadlineOf, type JoiningClaim, join, whyNotJoined } from './join.ts';
import {
  adopted,
  type LaunchContext,
  type LaunchPlan,
  LISTED_AFTER_MS,
  launched,
  launchingSinceMs,
  planLaunch,
  refusedLaunch,
  waitsForTurn,
} from './launch/launch.ts';
import { isAboutToBeGivenUp } from './launch/launch-turns.ts';
import { LONGEST_MESSAGE } from './mirror/mirror-conditions.ts';

/** D8: from the first request. For a claim that waits for its turn, from when its NodeClass is not Ready. */
const LAUNCH_TIMEOUT_MS = 5 * MINUTE_MS;
/**
 * For a claim that was not tried or that EC2 throttled, and can be launched as far as is known: it waits for its turn, because the account
 * may launch only so many instances in a minute, or for a read of its NodeClass. 3,300 claims take 20 minutes. The limit drops claims of a
 * cluster that Kerf did not serve for long.
 */
const UNTRIED_TIMEOUT_MS = 30 * MINUTE_MS;
/**
 * D31: how long a claim of a static NodePool exists if it cannot be launched at all. It was not tried, so nothing is marked that would
 * change the next plan, which would follow at once.
 */
const REPLANNED_AFTER_MS = MINUTE_MS;
/** EC2 may be answering the call of another run. */
const ANSWERED_WITHIN_MS = 5 * SECOND_MS;
/** After a request was last sent: the maximum run time of a function, and the time until EC2 lists the instance. */
const SETTLED_AFTER_MS = MINUTE_MS + LISTED_AFTER_MS;

/** One claim and its node: the inputs of its lifecycle. */
export interface NodeClaimView extends JoiningClaim, ConsistencyView {
  /** When the deletion of the NodeClaim object was requested, for example by `kubectl delete nodeclaim`. @default it was not */
  readonly deletionTimestamp?: string;
  /** Whether its NodePool was deleted before the claim had an object. @default it was not */
  readonly isOfFormerPool?: boolean;
  /** The instance in the status of the NodeClaim object, if no other claim has it. Undefined for a launched claim. */
  readonly shown: Observed<Instance | undefined>;
  /** What the list of instances shows of the claim. */
  readonly listed: Observed<ListedInstance>;
  /** Needed for a launched claim. */
  readonly drift: DriftView;
  /** The inputs of a launch, or why the NodeClass cannot be used now. Undefined for a claim whose launch was requested. */
  readonly launchContext: LaunchContext | NoLaunchContext | undefined;
  /** Whether launches of the cluster take turns. Undefined in a run for a single claim. */
  readonly takeTurns: boolean | undefined;
}

/** What EC2's list of instances shows of a claim. */
export interface ListedInstance {
  /** The time before the instances were listed. */
  readonly atMs: number;
  /** Whether the list contains the instance of the claim. Unread: the instance may run in a zone that EC2 does not list (C36). */
  readonly contains: Observed<boolean>;
  /** Whether the instance of the claim is stopping or stopped. @default false */
  readonly isStopped?: boolean;
  /** An instance with the claim's name in its tags: the result of a launch whose response was lost. */
  readonly tagged?: Instance;
  /** An instance of the claim's group that no claim has: of a request that is not sent again. */
  readonly ofGroup?: Instance;
  /** The name with which the node of the claim's instance registers. @default EC2 does not describe it yet */
  readonly nodeName?: string;
}

export interface NoLaunchContext {
  readonly reason: Reason;
  readonly message: string;
  /** It is unknown whether the NodeClass can be used, because it could not be read. @default false */
  readonly unread?: true;
  /** The NodeClass does not exist or is being deleted, so the claim is deleted (C37). @default false */
  readonly gone?: true;
  /** Since when the status of the NodeClass says that it is not Ready. @default it does not say so for its present generation */
  readonly unreadySinceMs?: number;
}

/**
 * The next step of a claim: launch, register, initialize or delete. Termination handles claims that are being deleted, unless
 * the outcome of their launch is unknown (D36) or their record lacks an instance: then it is determined first.
 * *Source:* D1–D8, D14, D15, D34.
 */
export function decideLifecycle(view: NodeClaimView, nowMs: number): ClaimVerdict {
  const { record } = view;
  if (record.launch.kind === 'requested') return settle(view, record.launch, nowMs);
  const found = takeOver(view, nowMs);
  if (found !== undefined) return found;
  if (record.deletion !== undefined) return unchanged(record);
  const unread = awaitEvidence(view, nowMs);
  if (unread !== undefined) return unread;
  const goodbye = whyDelete(view, nowMs);
  if (goodbye !== undefined) return deletion(record, goodbye);
  if (record.launch.kind !== 'launched') return launch(view, nowMs);
  const joined = withExpectedNode(join(view, nowMs), view, nowMs);
  const consistent = isListRead(view) ? withConsistency(joined, view, nowMs) : joined;
  return withDrift(consistent, view.drift, nowMs);
}

/**
 * Determines the outcome of a launch. If an instance has the claim's name, the launch succeeded. Otherwise the same request is
 * sent again: EC2 returns the instance of the first one. It is not sent if EC2 no longer accepts the token, if the claim is
 * being deleted, or after the launch timeout. Then the attempt has failed once EC2 had enough time to list an instance.
 */
function settle(view: NodeClaimView, state: Requested, nowMs: number): ClaimVerdict {
  const { record, listed } = view;
  const found = takeOver(view, nowMs);
  if (found !== undefined) return found;
  const { attempt, request, sentAgainAtMs = state.atMs } = state;
  if (shouldSendAgain(record, state, nowMs)) {
    const answeredByMs = sentAgainAtMs + ANSWERED_WITHIN_MS;
    if (nowMs < answeredByMs) {
      return { ...unchanged(record), due: [pollAfter(answeredByMs)] };
    }
    const sent: NodeClaimRecord = { ...record, launch: { ...state, sentAgainAtMs: nowMs } };
    return act(sent, { kind: 'launch-instance', nodeClaim: record.name, attempt, request });
  }
  const overAtMs = sentAgainAtMs + SETTLED_AFTER_MS;
  if (nowMs >= overAtMs && listed.kind === 'unread') return awaitList(record, listed, nowMs);
  if (listed.kind === 'unread' || listed.value.atMs < overAtMs) {
    return { ...unchanged(record), due: [requeueAt(overAtMs)] };
  }
  if (listed.value.ofGroup !== undefined) return taken(record, listed.value.ofGroup, nowMs);
  const message = 'launch outcome unknown, and EC2 lists no instance for it';
  return unchanged(refusedLaunch(record, { message, nowMs, learned: true, unknown: true }));
}

/**
 * An instance with the claim's name belongs to the claim, also if the record has no launch: EC2 may list it after the attempt was
 * recorded as failed, and a restored table may lack the launch. If EC2 does not list it any more, the status of the NodeClaim object
 * names it, so that its node is removed with the claim.
 */
function takeOver({ record, listed, shown }: NodeClaimView, nowMs: number): ClaimVerdict | undefined {
  if (record.launch.kind === 'launched' || listed.kind === 'unread') return undefined;
  const found = listed.value.tagged ?? readOr(shown, undefined);
  return found === undefined ? undefined : taken(record, found, nowMs);
}

function taken(record: NodeClaimRecord, instance: Instance, nowMs: number): ClaimVerdict {
  // Its node may have joined already.
  return { ...unchanged(launched(record, adopted(instance, record), nowMs)), due: [requeueAt(nowMs)] };
}

/**
 * D8: the instance of an unlaunched claim may be missing in the record only. So an overdue claim, one whose NodePool was deleted, and
 * one whose object names an instance, are not given up before the list of instances and the objects are read.
 */
function awaitEvidence(view: NodeClaimView, nowMs: number): ClaimVerdict | undefined {
  const { record, listed, shown, deletionTimestamp, isOfFormerPool = false } = view;
  const isLaunching = record.launch.kind !== 'launched' && deletionTimestamp === undefined;
  const isGivenUp = isLaunching && (isOfFormerPool || isOverdue(view, nowMs));
  if (listed.kind === 'unread' && (isGivenUp || readOr(shown, undefined) !== undefined))
    return awaitList(record, listed, nowMs);
  if (!isGivenUp || shown.kind === 'read') return undefined;
  return awaitRead(record, whyNotRead('the NodeClaim objects', shown), nowMs);
}

/** Waits for the list of instances: a claim is neither launched again nor given up while an instance may exist for it. */
function awaitList(record: NodeClaimRecord, listed: Unread, nowMs: number): ClaimVerdict {
  return awaitRead(record, whyNotRead("EC2's list of instances", listed), nowMs);
}

function awaitRead(record: NodeClaimRecord, message: string, nowMs: number): ClaimVerdict {
  const blocked = [blockedClaim(record, { reason: 'NotRead', message })];
  return { ...unchanged(record), blocked, due: [pollAfter(nowMs)] };
}

type Requested = NodeClaimRecord['launch'] & { readonly kind: 'requested' };

function shouldSendAgain(record: NodeClaimRecord, { atMs, spent }: Requested, nowMs: number): boolean {
  if (spent === true) return false;
  const isOver = record.deletion !== undefined || nowMs - launchingSinceMs(record) >= LAUNCH_TIMEOUT_MS;
  return !isOver || nowMs - atMs < LISTED_AFTER_MS;
}

function launch(view: NodeClaimView, nowMs: number): ClaimVerdict {
  const { record, launchContext, listed } = view;
  const { launch: state } = record;
  // EC2 may list an instance long after the outcome of its launch was unknown. A claim that was not tried has none.
  const mayExist = state.kind === 'refused' && state.unknown === true;
  if (mayExist && listed.kind === 'unread') return awaitList(record, listed, nowMs);
  if (launchContext === undefined) return unchanged(record);
  if (!('resolved' in launchContext)) {
    const { gone = false, unread = false, reason, message } = launchContext;
    // C37.
    if (gone) return deletion(record, { reason: 'insufficient_capacity', message });
    const wait = waiting(record, { reason, message, untilMs: launchDeadlineMs(view) }, nowMs);
    return unread ? { ...wait, due: [pollAfter(nowMs)] } : wait;
  }
  if (waitsForTurn(record) && isAboutToBeGivenUp(record, view.takeTurns ?? false, nowMs))
    // Only a run for all claims finds whether claims wait for their turn.
    return view.takeTurns === undefined ? { ...unchanged(record), due: [nextTick(nowMs)] } : deletion(record, REPLACED);
  if (state.kind === 'refused' && nowMs < (state.retryAtMs ?? nowMs)) return pausing(record, state);
  const plan = planLaunch(record, launchContext);
  switch (plan.kind) {
    case 'no-capacity': {
      const untilMs = record.createdAtMs + REPLANNED_AFTER_MS;
      if (isForNoPods(record) && state.kind === 'planned' && nowMs < untilMs)
        return waiting(record, { reason: 'NoCapacity', message: plan.message, untilMs }, nowMs);
      return deletion(record, { reason: 'insufficient_capacity', message: plan.message });
    }
    case 'unsupported': {
      const untilMs = launchingSinceMs(record) + LAUNCH_TIMEOUT_MS;
      if (nowMs >= untilMs) return deletion(record, LATE);
      return waiting(record, { reason: 'Unsupported', message: plan.message, untilMs }, nowMs);
    }
    case 'launch':
      return send(record, plan, nowMs);
  }
}

/** Whether a static NodePool has it: other claims are for pods, or for a command of disruption. */
function isForNoPods({ pods, command }: NodeClaimRecord): boolean {
  return pods.length === 0 && command === undefined;
}

/** The record with the request is written before the request is sent (D36). */
function send(record: NodeClaimRecord, plan: LaunchPlan & { kind: 'launch' }, nowMs: number): ClaimVerdict {
  const { attempt, request, warning } = plan;
  const frozen: NodeClaimRecord = {
    ...record,
    annotations: { ...record.annotations, ...plan.annotations },
    launch: { kind: 'requested', attempt, request, atMs: nowMs, firstAtMs: firstRequestMs(record, nowMs) },
  };
  const verdict = act(frozen, { kind: 'launch-instance', nodeClaim: record.name, attempt, request });
  if (warning === undefined) return verdict;
  return { ...verdict, blocked: [blockedClaim(record, { reason: 'FewTypesOnDemand', message: warning })] };
}

function firstRequestMs(record: NodeClaimRecord, nowMs: number): number {
  return waitsForTurn(record) ? nowMs : launchingSinceMs(record);
}

/** D3: the error of EC2 is reported while the claim waits for its next attempt. A throttled launch is none. */
function pausing(
  record: NodeClaimRecord,
  state: NodeClaimRecord['launch'] & { readonly kind: 'refused' },
): ClaimVerdict {
  const due = [requeueAt(state.retryAtMs ?? state.atMs)];
  if (state.throttled === true) return { ...unchanged(record), due };
  const blocked = [blockedClaim(record, { reason: 'LaunchFailed', message: state.message.slice(0, LONGEST_MESSAGE) })];
  return { ...unchanged(record), blocked, news: blocked, due };
}

function whyDelete(view: NodeClaimView, nowMs: number): DeletionCause | undefined {
  const { record, node, deletionTimestamp, listed } = view;
  if (deletionTimestamp !== undefined) return deletedByOthers(record, 'NodeClaim', deletionTimestamp);
  if (node?.metadata.deletionTimestamp !== undefined)
    return deletedByOthers(record, 'Node', node.metadata.deletionTimestamp);
  if (view.isOfFormerPool === true) return poolDeleted(record);
  const { launch: state } = record;
  if (state.kind !== 'launched') return isOverdue(view, nowMs) ? LATE : undefined;
  // D15: a Ready node runs, even if the list omits its instance. A claim without a node does not wait for its registration
  // timeout, as in Karpenter, because its pods would wait for a node that cannot register.
  const runs = node !== undefined && isNodeReady(node);
  if (!runs && isMissing(listed, state.atMs + LISTED_AFTER_MS)) {
    return { reason: 'garbage_collected', message: `instance ${state.instance.id} no longer exists in EC2` };
  }
  // C80: the event was lost, or came while Kerf was on standby.
  if (!runs && listed.kind === 'read' && listed.value.isStopped === true)
    return { reason: 'instance_stopped', message: `EC2 lists instance ${state.instance.id} as stopping or stopped` };
  const late = whyNotJoined(view, nowMs);
  if (late !== undefined) return late;
  const expiry = expiryDeadlineOf(record);
  return expiry === undefined || nowMs < expiry ? undefined : { reason: 'expired', message: expiredMessage(record) };
}

/** D18: the deadline counts from the deletion. Kerf deletes these objects only after it has recorded a deletion of the claim. */
function deletedByOthers({ spec }: NodeClaimRecord, kind: 'Node' | 'NodeClaim', at: string): DeletionCause {
  return {
    reason: 'deleted',
    message: `the ${kind} was deleted at ${at} by a user or another program`,
    deadlineMs: graceDeadlineMs(spec, parseTime(at)),
  };
}

/** A1.29: Kubernetes cannot delete it with the NodePool, because it has no object. */
function poolDeleted({ nodePool, nodePoolUid }: NodeClaimRecord): DeletionCause {
  return { reason: 'deleted', message: `its NodePool ${nodePool} with the UID ${nodePoolUid} no longer exists` };
}

/** Whether it is known that EC2 lists the instance, and with which tags. */
function isListRead({ listed }: NodeClaimView): boolean {
  return listed.kind === 'read' && listed.value.contains.kind === 'read';
}

const LATE: DeletionCause = {
  reason: 'launch_timeout',
  message: `not launched within ${LAUNCH_TIMEOUT_MS / MINUTE_MS} minutes`,
};

const REPLACED: DeletionCause = {
  reason: 'launch_timeout',
  message: 'its launch was not tried for so long that another NodeClaim is planned for its pods',
};

/** D8: of a claim that is not launched. */
function isOverdue(view: NodeClaimView, nowMs: number): boolean {
  return nowMs >= launchDeadlineMs(view);
}

/** D8: a claim that waits for its turn has half an hour, unless its NodeClass is gone or has been unready for five minutes of this time. */
function launchDeadlineMs({ record, launchContext }: NodeClaimView): number {
  const sinceMs = launchingSinceMs(record);
  const { gone, unreadySinceMs }: Partial<NoLaunchContext> =
    launchContext === undefined || 'resolved' in launchContext ? {} : launchContext;
  if (!waitsForTurn(record) || gone === true) return sinceMs + LAUNCH_TIMEOUT_MS;
  return Math.min(
    sinceMs + UNTRIED_TIMEOUT_MS,
    Math.max(sinceMs, unreadySinceMs ?? Number.POSITIVE_INFINITY) + LAUNCH_TIMEOUT_MS,
  );
}

/** Whether a list of instances that was read after this time does not contain the instance. */
function isMissing(listed: NodeClaimView['listed'], afterMs: number): boolean {
  if (listed.kind === 'unread' || listed.value.atMs < afterMs) return false;
  const { contains } = listed.value;
  return contains.kind === 'read' && !contains.value;
}

function deletion(record: NodeClaimRecord, { reason, message, deadlineMs }: DeletionCause): ClaimVerdict {
  const { name: nodeClaim } = record;
  return act(record, { kind: 'delete-node-claim', nodeClaim, reason, message, ...optional({ deadlineMs }) });
}

function waiting(
  record: NodeClaimRecord,
  { untilMs, ...why }: { readonly reason: Reason; readonly message: string; readonly untilMs: number },
  nowMs: number,
): ClaimVerdict {
  const due = [requeueAt(Math.min(nowMs + MINUTE_MS, untilMs))];
  return { ...unchanged(record), blocked: [blockedClaim(record, why)], due };
}
