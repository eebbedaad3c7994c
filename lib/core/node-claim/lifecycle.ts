import { parseNillableDuration } from '../../apis/formats/duration.ts';
import { MINUTE_MS, SECOND_MS } from '../../apis/formats/time.ts';
import type { Labels, Node } from '../../apis/kubernetes.ts';
import { INITIALIZED } from '../../apis/labels.ts';
import { formatTaint, UNREGISTERED_TAINT } from '../../apis/taints.ts';
import { nomination } from '../cluster/nomination.ts';
import { isNodeReady } from '../cluster/state-node.ts';
import { type Action, type Blocked, type Due, requeueAt, type Verdict } from '../model/decision.ts';
import { type LearnedMemory, memoryLesson } from '../model/learned-memory.ts';
import { type DeletionReason, type Instance, type NodeClaimRecord, realPods } from '../model/node-claim-record.ts';
import { nodeTarget } from '../model/node-patch.ts';
import type { Reason } from '../model/reasons.ts';
import {
  adopted,
  type LaunchContext,
  type LaunchPlan,
  LISTED_AFTER_MS,
  launched,
  planLaunch,
  refusedLaunch,
} from './launch/launch.ts';
import { LONGEST_MESSAGE } from './mirror/mirror-conditions.ts';
import { isInitialized, isRegistered, registrationPatch, whyNotInitialized } from './registration.ts';

/** D8. */
const LAUNCH_TIMEOUT_MS = 5 * MINUTE_MS;
const REGISTRATION_TIMEOUT_MS = 15 * MINUTE_MS;
/** From the last time that a request may have been sent: a function runs for a minute at most, and then EC2 has to list. */
const SETTLED_AFTER_MS = MINUTE_MS + LISTED_AFTER_MS;

/** One claim and its node: all that its lifecycle looks at. */
export interface NodeClaimView {
  readonly record: NodeClaimRecord;
  readonly node?: Node;
  /** The NodeClaim object in the cluster is being deleted: somebody said `kubectl delete nodeclaim`. */
  readonly deleteRequested: boolean;
  /** Of that object, by which Kubernetes knows it as the node's owner. @default it is not there yet */
  readonly mirrorUid?: string | undefined;
  /** When EC2 listed its instances. */
  readonly listedAtMs: number;
  /** Whether EC2 lists the instance. */
  readonly instanceListed: boolean;
  /** An instance that carries the claim's name: what a launch made whose reply was lost. */
  readonly taggedInstance?: Instance;
  /** C15–C24: what the instance type says of the node; needed for its registration. */
  readonly instanceLabels: Labels;
  /** C4: what was learned of memory so far; needed for its registration. */
  readonly learnedMemory: readonly LearnedMemory[];
  /** What a launch needs, or why the NodeClass cannot be used just now. Undefined for a claim whose launch was requested. */
  readonly launchContext: LaunchContext | NoLaunchContext | undefined;
}

export interface NoLaunchContext {
  readonly reason: Reason;
  readonly message: string;
  /** There is no such NodeClass, or it is going: no use to wait for it (C37). @default false */
  readonly gone?: true;
}

/** What happens next to a claim, and the record as it is to be written before that is done. */
export interface LifecycleVerdict extends Verdict {
  readonly record: NodeClaimRecord;
}

/**
 * The claim's next step: launch, register, initialize, or give up. A claim that is being deleted is left to termination,
 * but for a launch whose outcome is unknown: that is settled first (D36).
 * *Source:* D1–D8, D14, D15.
 */
export function decideLifecycle(view: NodeClaimView, nowMs: number): LifecycleVerdict {
  const { record } = view;
  if (record.launch.kind === 'requested') return settle(view, record.launch, nowMs);
  if (record.deletion !== undefined) return unchanged(record);
  const found = takeOver(view, nowMs);
  if (found !== undefined) return found;
  const goodbye = whyDelete(view, nowMs);
  if (goodbye !== undefined) return deletion(record, goodbye);
  if (record.launch.kind !== 'launched') return launch(view, nowMs);
  if (view.node === undefined)
    return { ...unchanged(record), due: [requeueAt(record.launch.atMs + REGISTRATION_TIMEOUT_MS)] };
  return join(view, view.node, nowMs);
}

/**
 * A launch whose outcome is not recorded. An instance with the claim's name is what it made. Else the request is sent again
 * word for word: EC2 answers with what the first one launched. Where EC2 does not take it any more, and where the claim must
 * go or cannot be settled in the time for a launch, nothing is sent, and the attempt is over once EC2 had time to list what
 * there is.
 */
function settle(view: NodeClaimView, state: Requested, nowMs: number): LifecycleVerdict {
  const { record, listedAtMs } = view;
  const found = takeOver(view, nowMs);
  if (found !== undefined) return found;
  const { attempt, request, sentAgainAtMs = state.atMs } = state;
  if (isWorthAsking(record, state, nowMs)) {
    const sent: NodeClaimRecord = { ...record, launch: { ...state, sentAgainAtMs: nowMs } };
    return act(sent, { kind: 'launch-instance', nodeClaim: record.name, attempt, request });
  }
  const overAtMs = sentAgainAtMs + SETTLED_AFTER_MS;
  if (listedAtMs < overAtMs) return { ...unchanged(record), due: [requeueAt(overAtMs)] };
  const message = 'its launch was never settled, and EC2 lists no instance of it';
  return unchanged(refusedLaunch(record, { message, nowMs, learned: true }));
}

/**
 * An instance that carries the claim's name is the claim's, whatever the record says of its launch: it may be listed only after
 * the attempt was taken for over, and a table that was restored knows less than happened.
 */
function takeOver({ record, taggedInstance }: NodeClaimView, nowMs: number): LifecycleVerdict | undefined {
  if (record.launch.kind === 'launched' || taggedInstance === undefined) return undefined;
  return unchanged(launched(record, adopted(taggedInstance, record), nowMs));
}

type Requested = NodeClaimRecord['launch'] & { readonly kind: 'requested' };

function isWorthAsking(record: NodeClaimRecord, { atMs, spent }: Requested, nowMs: number): boolean {
  if (spent === true) return false;
  const isHopeless = record.deletion !== undefined || nowMs - record.createdAtMs >= LAUNCH_TIMEOUT_MS;
  return !isHopeless || nowMs - atMs < LISTED_AFTER_MS;
}

function launch(view: NodeClaimView, nowMs: number): LifecycleVerdict {
  const { record, launchContext } = view;
  if (launchContext === undefined) return unchanged(record);
  if (!('resolved' in launchContext)) {
    const { gone = false, ...why } = launchContext;
    // C37.
    if (gone) return deletion(record, { reason: 'insufficient_capacity', message: why.message });
    return waiting(record, why, nowMs);
  }
  const { launch: state } = record;
  if (state.kind === 'refused' && nowMs < (state.retryAtMs ?? nowMs)) return pausing(record, state);
  const plan = planLaunch(record, launchContext);
  switch (plan.kind) {
    case 'no-capacity':
      return deletion(record, { reason: 'insufficient_capacity', message: plan.message });
    case 'unsupported':
      return waiting(record, { reason: 'Unsupported', message: plan.message }, nowMs);
    case 'launch':
      return send(record, plan, nowMs);
  }
}

/** Write ahead: what is sent is in the record first (D36). */
function send(record: NodeClaimRecord, plan: LaunchPlan & { kind: 'launch' }, nowMs: number): LifecycleVerdict {
  const { attempt, request, warning } = plan;
  const frozen: NodeClaimRecord = {
    ...record,
    annotations: { ...record.annotations, ...plan.annotations },
    launch: { kind: 'requested', attempt, request, atMs: nowMs },
  };
  const verdict = act(frozen, { kind: 'launch-instance', nodeClaim: record.name, attempt, request });
  if (warning === undefined) return verdict;
  return { ...verdict, blocked: [blockedClaim(record, { reason: 'FewTypesOnDemand', message: warning })] };
}

/** D3: what EC2 objects to is told while the claim waits to try again. */
function pausing(
  record: NodeClaimRecord,
  state: NodeClaimRecord['launch'] & { readonly kind: 'refused' },
): LifecycleVerdict {
  const blocked = [blockedClaim(record, { reason: 'LaunchFailed', message: state.message.slice(0, LONGEST_MESSAGE) })];
  return { ...unchanged(record), blocked, due: [requeueAt(state.retryAtMs ?? state.atMs)] };
}

/** Registration and initialization go by what the node shows, so that a write that was lost is made again. */
function join(
  { record, instanceLabels, learnedMemory, mirrorUid }: NodeClaimView,
  node: Node,
  nowMs: number,
): LifecycleVerdict {
  const target = nodeTarget(node);
  const expiry = expiryOf(record);
  const due: readonly Due[] = expiry === undefined ? [] : [{ atMs: expiry, kind: 'expiration' }];
  if (!isRegistered(node)) {
    const patch = registrationPatch(record, node, { instanceLabels, mirrorUid });
    const known = { ...record, nodeName: node.metadata.name, registeredAtMs: record.registeredAtMs ?? nowMs };
    // It may be ready for the next step already, and then nothing else would tell.
    const next = requeueAt(nowMs + SECOND_MS);
    const register: Action = { kind: 'register-node', nodeClaim: record.name, node: target, patch };
    const lesson = memoryLesson(record, node, { known: learnedMemory, nowMs });
    const learn: readonly Action[] =
      lesson === undefined ? [] : [{ kind: 'learn-memory', nodeClaim: record.name, lesson }];
    return { record: known, actions: [register, ...learn], blocked: withoutTaint(node), due: [...due, next] };
  }
  if (isInitialized(node)) return { ...unchanged(record), due };
  const missing = whyNotInitialized(record, node);
  if (missing !== undefined) {
    const blocked = blockedClaim(record, { reason: 'NodeNotInitialized', message: missing });
    return { ...unchanged(record), blocked: [blocked], due };
  }
  const ready = { ...record, initializedAtMs: record.initializedAtMs ?? nowMs };
  const patch = { labels: { [INITIALIZED]: 'true' } };
  const initialize: Action = { kind: 'initialize-node', nodeClaim: record.name, node: target, patch };
  // Until the kube-scheduler has bound them, the node looks empty.
  const pods = realPods(record);
  const promise = pods.length === 0 ? [] : [nomination(target.name, pods, nowMs)];
  return { record: ready, actions: [initialize, ...promise], blocked: [], due };
}

/** D5: pods may have come to it before it was known. */
function withoutTaint({ metadata, spec }: Node): readonly Blocked[] {
  if (spec?.taints?.some(({ key }) => key === UNREGISTERED_TAINT.key) === true) return [];
  const message = `it joined without the taint ${formatTaint(UNREGISTERED_TAINT)}: have its kubelet register with it`;
  return [{ subject: { kind: 'Node', name: metadata.name }, reason: 'UnregisteredTaintMissing', message, numbers: {} }];
}

interface DeletionCause {
  readonly reason: DeletionReason;
  readonly message: string;
}

function whyDelete(
  { record, node, deleteRequested, instanceListed, listedAtMs }: NodeClaimView,
  nowMs: number,
): DeletionCause | undefined {
  if (deleteRequested) return { reason: 'deleted', message: 'the NodeClaim was deleted' };
  if (node?.metadata.deletionTimestamp !== undefined) return { reason: 'deleted', message: 'the Node was deleted' };
  const { launch: state } = record;
  if (state.kind !== 'launched') {
    return nowMs - record.createdAtMs < LAUNCH_TIMEOUT_MS
      ? undefined
      : { reason: 'launch_timeout', message: `not launched within ${LAUNCH_TIMEOUT_MS / MINUTE_MS} minutes` };
  }
  // D15: a node that is Ready runs, whatever a listing forgot. A claim without a node is not left waiting for the end of its
  // time to register, as Karpenter leaves it: its pods would wait for a node that cannot come.
  const runs = instanceListed || (node !== undefined && isNodeReady(node));
  if (!runs && listedAtMs - state.atMs >= LISTED_AFTER_MS) {
    return { reason: 'garbage_collected', message: `EC2 does not know instance ${state.instance.id} any more` };
  }
  // A node that went before it had our finalizer is not seen to go, and its kubelet registers no other.
  const isWithoutNode = record.initializedAtMs === undefined && node === undefined;
  const registeredAtMs = isWithoutNode ? undefined : record.registeredAtMs;
  if (registeredAtMs === undefined && nowMs - (record.registeredAtMs ?? state.atMs) >= REGISTRATION_TIMEOUT_MS) {
    return {
      reason: 'registration_timeout',
      message: `no node registered within ${REGISTRATION_TIMEOUT_MS / MINUTE_MS} minutes`,
    };
  }
  const expiry = expiryOf(record);
  return expiry === undefined || nowMs < expiry
    ? undefined
    : { reason: 'expired', message: `it is older than expireAfter ${record.spec.expireAfter}` };
}

/** D14: an instant, or undefined for `Never`. */
function expiryOf(record: NodeClaimRecord): number | undefined {
  const after = parseNillableDuration(record.spec.expireAfter);
  return after === undefined ? undefined : record.createdAtMs + after;
}

function deletion(record: NodeClaimRecord, { reason, message }: DeletionCause): LifecycleVerdict {
  return act(record, { kind: 'delete-node-claim', nodeClaim: record.name, reason, message });
}

function waiting(
  record: NodeClaimRecord,
  why: { readonly reason: Reason; readonly message: string },
  nowMs: number,
): LifecycleVerdict {
  const nextLook = Math.min(nowMs + MINUTE_MS, record.createdAtMs + LAUNCH_TIMEOUT_MS);
  return { ...unchanged(record), blocked: [blockedClaim(record, why)], due: [requeueAt(nextLook)] };
}

function blockedClaim(record: NodeClaimRecord, why: { readonly reason: Reason; readonly message: string }): Blocked {
  return { subject: { kind: 'NodeClaim', name: record.name }, nodePool: record.nodePool, ...why, numbers: {} };
}

function act(record: NodeClaimRecord, action: Action): LifecycleVerdict {
  return { record, actions: [action], blocked: [], due: [] };
}

function unchanged(record: NodeClaimRecord): LifecycleVerdict {
  return { record, actions: [], blocked: [], due: [] };
}
