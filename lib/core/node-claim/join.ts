import { parseDuration, parseNillableDuration } from '../../apis/formats/duration.ts';
import { formatTime, MINUTE_MS, parseTime, SECOND_MS } from '../../apis/formats/time.ts';
import { conditionStatus, type Labels, type Node } from '../../apis/kubernetes.ts';
import { GRACEFUL_EXPIRATION, INITIALIZED, NODE_CLASS } from '../../apis/labels.ts';
import { fieldOf } from '../../apis/record.ts';
import { formatTaint, UNREGISTERED_TAINT } from '../../apis/taints.ts';
import { nomination } from '../cluster/nomination.ts';
import { type Action, type Blocked, type Due, pollAfter, requeueAt } from '../model/decision.ts';
import { type LearnedMemory, memoryLesson } from '../model/learned-memory.ts';
import { type NodeClaimRecord, realPods } from '../model/node-claim-record.ts';
import { type NodePatch, nodeTarget } from '../model/node-patch.ts';
import { type Observed, readOr, whyNotRead } from '../observed.ts';
import { blockedClaim, type ClaimVerdict, type DeletionCause, unchanged } from './claim-verdict.ts';
import { pollAfterWait } from './poll.ts';
import {
  hasUnregisteredTaint,
  isInitialized,
  isRegistered,
  ownersOf,
  registrationPatch,
  wasInitialized,
  whyNotInitialized,
} from './registration.ts';

/** D8: from the launch, or from the time at which a registered node was first missing. */
export const REGISTRATION_TIMEOUT_MS = 15 * MINUTE_MS;
/** After an outage, no run may have tried a step before its time was over. So it is tried for so long before the claim is deleted. */
const TRIED_FOR_MS = 45 * SECOND_MS;
/** Tries that began before this do not count: lifecycle did not run since. */
const TRIES_COUNT_FOR_MS = 3 * MINUTE_MS;

/** A launched claim, with the node of its instance if there is one. */
export interface JoiningClaim {
  readonly record: NodeClaimRecord;
  readonly node?: Node;
  /** The UID of the NodeClaim object, for the owner reference of the node. @default the object does not exist yet */
  readonly mirrorUid?: string | undefined;
  /** C15–C24: the labels of the instance type; needed until the node is initialized. Empty if the node has them. */
  readonly instanceLabels: Observed<Labels>;
  /** C4: the memory measured on earlier nodes. If it is unread, the node teaches nothing. */
  readonly learnedMemory: Observed<readonly LearnedMemory[]>;
  /** How long a registered node may take to be initialized. @default no limit */
  readonly initializationTimeoutMs?: number | undefined;
  /** B67: until when its registration waits for the other nodes of its decision. @default it does not wait */
  readonly awaitsOthersUntilMs?: number | undefined;
}

/**
 * The next step from a launched instance to an initialized node. A claim counts as registered or initialized only when its node
 * has the label: the record is written after the node, so that a node that cannot be patched meets the registration timeout.
 * *Source:* D5–D8.
 */
export function join(claim: JoiningClaim, nowMs: number): ClaimVerdict {
  const { node } = claim;
  const record = hydrated(claim.record);
  if (node === undefined) return awaitNode(record, nowMs);
  return isRegistered(node)
    ? initialize({ ...claim, record: registered(record, node, nowMs) }, node, nowMs)
    : register({ ...claim, record }, node, nowMs);
}

/**
 * D8: why a claim is deleted whose node is not registered or not initialized; undefined if the node is, or still has time. A node
 * that was registered has the same time to return: the kubelet registers it again when it restarts. After this time, a step that is
 * possible is tried for some time before the claim is deleted (D1).
 */
export function whyNotJoined(claim: JoiningClaim, nowMs: number): DeletionCause | undefined {
  const { record, node } = claim;
  if (node !== undefined && isRegistered(node)) return whyNotInitializedInTime(claim, node, nowMs);
  const untilMs = registrationDeadline(record);
  if (untilMs === undefined || nowMs < untilMs) return undefined;
  if (node !== undefined && !wasTried(record, nowMs)) return undefined;
  const minutes = REGISTRATION_TIMEOUT_MS / MINUTE_MS;
  if (record.nodeLostAtMs === undefined) {
    const what = node === undefined ? 'no node registered' : `node ${node.metadata.name} could not be registered`;
    return { reason: 'registration_timeout', message: `${what} within ${minutes} minutes` };
  }
  const lost = node === undefined ? 'disappeared' : 'lost its registration';
  const message = `its node ${record.nodeName ?? ''} ${lost} and was not registered again within ${minutes} minutes`;
  return { reason: 'node_lost', message };
}

function whyNotInitializedInTime(claim: JoiningClaim, node: Node, nowMs: number): DeletionCause | undefined {
  const untilMs = initializationDeadline(claim);
  if (isInitialized(node) || untilMs === undefined || nowMs < untilMs) return undefined;
  const missing = whyNotInitialized(claim.record, node);
  if (missing === undefined && (claim.instanceLabels.kind === 'unread' || !wasTried(claim.record, nowMs)))
    return undefined;
  const minutes = (claim.initializationTimeoutMs ?? 0) / MINUTE_MS;
  const message = `node ${node.metadata.name} was not initialized within ${minutes} minutes after its registration: ${missing ?? 'its label could not be written'}`;
  return { reason: 'initialization_timeout', message };
}

/** Whether the step was tried long enough at the end of its time. */
function wasTried(record: NodeClaimRecord, nowMs: number): boolean {
  const sinceMs = lastTriesSince(record, nowMs);
  return sinceMs !== undefined && nowMs >= sinceMs + TRIED_FOR_MS;
}

function lastTriesSince({ lastTriesSinceMs }: NodeClaimRecord, nowMs: number): number | undefined {
  const counts = lastTriesSinceMs !== undefined && nowMs < lastTriesSinceMs + TRIES_COUNT_FOR_MS;
  return counts ? lastTriesSinceMs : undefined;
}

/** The record of a claim whose next step is tried now. *Shape:* itself if the step has more than a minute until `untilMs`. */
function withTry(record: NodeClaimRecord, untilMs: number, nowMs: number): NodeClaimRecord {
  const isLast = nowMs >= untilMs - MINUTE_MS;
  return isLast ? { ...record, lastTriesSinceMs: lastTriesSince(record, nowMs) ?? nowMs } : record;
}

/** D11: claims that an old version of Karpenter made lack the label of their NodeClass. */
function hydrated(record: NodeClaimRecord): NodeClaimRecord {
  const { labels, spec } = record;
  const { name } = spec.nodeClassRef;
  return labels[NODE_CLASS] === name ? record : { ...record, labels: { ...labels, [NODE_CLASS]: name } };
}

/** D11: the same label for their registered nodes. */
function missingLabels({ spec }: NodeClaimRecord, { metadata }: Node): Labels {
  const { name } = spec.nodeClassRef;
  return metadata.labels?.[NODE_CLASS] === name ? {} : { [NODE_CLASS]: name };
}

/** When the time for the initialization ends; undefined if it has no limit, or the node was initialized before. */
function initializationDeadline({ record, initializationTimeoutMs }: JoiningClaim): number | undefined {
  const { registeredAtMs, initializedAtMs, nodeLostAtMs } = record;
  const isOver = registeredAtMs === undefined || (initializedAtMs ?? nodeLostAtMs) !== undefined;
  return isOver || initializationTimeoutMs === undefined ? undefined : registeredAtMs + initializationTimeoutMs;
}

/** When the time for the registration ends; undefined if the node was registered and is not known to be missing. */
function registrationDeadline({ launch, registeredAtMs, nodeLostAtMs }: NodeClaimRecord): number | undefined {
  const launchedAtMs = launch.kind === 'launched' ? launch.atMs : undefined;
  const sinceMs = registeredAtMs === undefined ? launchedAtMs : nodeLostAtMs;
  return sinceMs === undefined ? undefined : sinceMs + REGISTRATION_TIMEOUT_MS;
}

function awaitNode(record: NodeClaimRecord, nowMs: number): ClaimVerdict {
  const known = withLoss(record, nowMs);
  const untilMs = registrationDeadline(known);
  return { ...unchanged(known), due: untilMs === undefined ? [] : [requeueAt(untilMs)] };
}

/** Its registered node is missing, or a new Node object has replaced it. */
function withLoss(record: NodeClaimRecord, nowMs: number): NodeClaimRecord {
  const isKnown = record.registeredAtMs === undefined || record.nodeLostAtMs !== undefined;
  return isKnown ? record : { ...record, nodeLostAtMs: nowMs };
}

function register(claim: JoiningClaim, node: Node, nowMs: number): ClaimVerdict {
  const { instanceLabels, learnedMemory, mirrorUid } = claim;
  const missed = withLoss(claim.record, nowMs);
  const record = withTry(missed, registrationDeadline(missed) ?? Infinity, nowMs);
  const untilMs = Math.min(claim.awaitsOthersUntilMs ?? nowMs, lastStartMs(record));
  const isNew = record.registeredAtMs === undefined;
  if (nowMs < untilMs && isNew && hasUnregisteredTaint(node)) {
    const message = `waits until the other new nodes of its decision are Ready, until ${formatTime(untilMs)} at the latest`;
    return {
      ...unchanged(record),
      blocked: [blockedClaim(record, { reason: 'AwaitsOtherNodes', message })],
      due: [requeueAt(untilMs)],
    };
  }
  const nodeClaim = record.name;
  // A node does not wait for the labels: if they are unread, they are added before its initialization.
  const patch = registrationPatch(record, node, { instanceLabels: readOr(instanceLabels, {}), mirrorUid });
  const patched: Action = { kind: 'register-node', nodeClaim, node: nodeTarget(node), patch };
  const lesson =
    learnedMemory.kind === 'read' ? memoryLesson(record, node, { known: learnedMemory.value, nowMs }) : undefined;
  const learned: readonly Action[] = lesson === undefined ? [] : [{ kind: 'learn-memory', nodeClaim, lesson }];
  const isKept = keepsRegistration(record, node);
  return {
    record,
    ...(isKept && { whenDone: registered(record, node, nowMs) }),
    actions: [patched, ...learned],
    blocked: wasInitialized(record, node) ? [] : withoutTaint(node),
    due: [
      ...expirationOf(record, nowMs),
      ...(isKept ? nextRun(node, nowMs) : [pollAfterWait(record.nodeLostAtMs ?? nowMs, nowMs)]),
    ],
  };
}

/** A node that is ready already causes no further event that triggers a run. */
function nextRun(node: Node, nowMs: number): readonly Due[] {
  return conditionStatus(node, 'Ready') === 'True' ? [requeueAt(nowMs + SECOND_MS)] : [];
}

/**
 * Whether a written registration is on the node. Another program or an admission webhook may remove its label each time: a Node object
 * that had the registration before is registered again when it is observed with the label, so that it meets the timeout.
 */
function keepsRegistration({ registeredAtMs }: NodeClaimRecord, { metadata: { creationTimestamp } }: Node): boolean {
  return (
    registeredAtMs === undefined || creationTimestamp === undefined || parseTime(creationTimestamp) > registeredAtMs
  );
}

/** A node that joins shortly before the end of its time does not wait for others: its claim would be deleted meanwhile (D8). */
function lastStartMs(record: NodeClaimRecord): number {
  return (registrationDeadline(record) ?? Infinity) - MINUTE_MS;
}

/** The record of a claim whose node has the registration. A node that was missing is initialized again. */
function registered(record: NodeClaimRecord, { metadata }: Node, nowMs: number): NodeClaimRecord {
  if (record.registeredAtMs !== undefined && record.nodeLostAtMs === undefined) return record;
  const { nodeLostAtMs: _lost, initializedAtMs: _before, lastTriesSinceMs: _tried, ...known } = record;
  return { ...known, nodeName: metadata.name, registeredAtMs: nowMs };
}

function initialize(claim: JoiningClaim, node: Node, nowMs: number): ClaimVerdict {
  const { record, instanceLabels } = claim;
  const untilMs = isInitialized(node) ? undefined : initializationDeadline(claim);
  const hasTime = untilMs !== undefined && nowMs < untilMs;
  const due = [...expirationOf(record, nowMs), ...(hasTime ? [requeueAt(untilMs)] : [])];
  const { lastTriesSinceMs: _tried, ...known } = record;
  const initialized = { ...known, initializedAtMs: record.initializedAtMs ?? nowMs };
  if (isInitialized(node)) {
    const seen = record.initializedAtMs === undefined ? initialized : record;
    return { ...unchanged(seen), actions: hydration(claim, node), due };
  }
  const missing = whyNotInitialized(record, node);
  if (missing !== undefined) {
    const blocked = blockedClaim(record, { reason: 'NodeNotInitialized', message: missing });
    return { ...unchanged(record), blocked: [blocked], due };
  }
  if (instanceLabels.kind === 'unread') {
    const message = whyNotRead('the labels of its instance type', instanceLabels);
    const blocked = blockedClaim(record, { reason: 'NodeNotInitialized', message });
    return { ...unchanged(record), blocked: [blocked], due: [...due, pollAfter(nowMs)] };
  }
  const target = nodeTarget(node);
  const patch = {
    labels: { ...unreadLabels(node, instanceLabels.value), ...missingLabels(record, node), [INITIALIZED]: 'true' },
    ...missingOwner(claim, node),
  };
  const patched: Action = {
    kind: 'initialize-node',
    nodeClaim: record.name,
    node: target,
    patch,
    ...(record.command !== undefined && { replaces: true }),
  };
  // The node is empty until the kube-scheduler has bound its pods.
  const pods = realPods(record);
  const promise = pods.length === 0 ? [] : [nomination(target.name, pods, nowMs)];
  const tried = withTry(record, untilMs ?? Infinity, nowMs);
  return { record: tried, whenDone: initialized, actions: [patched, ...promise], blocked: [], due };
}

function hydration(claim: JoiningClaim, node: Node): readonly Action[] {
  const { record } = claim;
  const labels = missingLabels(record, node);
  const patch = { ...(Object.keys(labels).length > 0 && { labels }), ...missingOwner(claim, node) };
  if (Object.keys(patch).length === 0) return [];
  return [{ kind: 'register-node', nodeClaim: record.name, node: nodeTarget(node), patch }];
}

/** D6: the owner that the registration could not add, because the NodeClaims were unread. */
function missingOwner({ record, mirrorUid }: JoiningClaim, node: Node): Pick<NodePatch, 'ownerReferences'> {
  const isOwned = node.metadata.ownerReferences?.some(({ kind }) => kind === 'NodeClaim') === true;
  return mirrorUid === undefined || isOwned
    ? {}
    : { ownerReferences: ownersOf(node, { name: record.name, uid: mirrorUid }) };
}

/** The labels that the registration could not add. */
function unreadLabels({ metadata: { labels = {} } }: Node, wanted: Labels): Labels {
  return Object.fromEntries(Object.entries(wanted).filter(([key]) => fieldOf(labels, key) === undefined));
}

/** D5: without the taint, pods may have been bound to the node before its registration. */
function withoutTaint(node: Node): readonly Blocked[] {
  if (hasUnregisteredTaint(node)) return [];
  const message = `the node registered without the taint ${formatTaint(UNREGISTERED_TAINT)}: configure its kubelet to register with this taint`;
  return [
    { subject: { kind: 'Node', name: node.metadata.name }, reason: 'UnregisteredTaintMissing', message, numbers: {} },
  ];
}

/** D14: the time of expiry, or undefined for `Never`. */
export function expiryOf(record: NodeClaimRecord): number | undefined {
  const after = parseNillableDuration(record.spec.expireAfter);
  return after === undefined ? undefined : record.createdAtMs + after;
}

/**
 * When the node is deleted because of its age. With the annotation, an expired node counts as drifted first, so that it is replaced
 * before its drain, within the budgets. *Shape:* undefined for never. An invalid value counts as no time; `annotationProblems` reports it.
 */
export function expiryDeadlineOf(record: NodeClaimRecord): number | undefined {
  const expiry = expiryOf(record);
  const grace = record.annotations[GRACEFUL_EXPIRATION];
  if (expiry === undefined || grace === 'Never') return undefined;
  return expiry + (parseDuration(grace ?? '') ?? 0);
}

/** Why an expired node is removed or replaced. */
export function expiredMessage({ createdAtMs, spec }: NodeClaimRecord): string {
  return `created at ${formatTime(createdAtMs)}, older than expireAfter ${spec.expireAfter}`;
}

/** Times that have passed are left out: an expired node may be kept for days until it is replaced. */
function expirationOf(record: NodeClaimRecord, nowMs: number): readonly Due[] {
  const times = new Set([expiryOf(record), expiryDeadlineOf(record)]);
  return [...times].flatMap((atMs) =>
    atMs === undefined || atMs <= nowMs ? [] : [{ atMs, kind: 'expiration' as const }],
  );
}
