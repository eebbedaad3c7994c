import { formatTime, SECOND_MS, timeIn } from '../../apis/formats/time.ts';
import type { Node, Pod } from '../../apis/kubernetes.ts';
import { DO_NOT_DISRUPT, EXCLUDE_FROM_BALANCERS, TERMINATION_FINALIZER } from '../../apis/labels.ts';
import { optional } from '../../apis/optional.ts';
import { DISRUPTED_TAINT, sameTaint } from '../../apis/taints.ts';
import { canWait } from '../cluster/at-rest.ts';
import { hardestToPlaceFirst } from '../cluster/hardest-to-place.ts';
import {
  deletedAtMs,
  graceMsOf,
  graceSecondsUntil,
  isKeptInPlace,
  isTerminating,
  keptUntilMs,
} from '../cluster/pods.ts';
import { isNodeReady } from '../cluster/state-node.ts';
import {
  type Action,
  type Blocked,
  type Due,
  nextTick,
  type PodTarget,
  pollAfter,
  requeueAt,
  type Verdict,
} from '../model/decision.ts';
import { type Deletion, type EarlyEnd, instanceOf, type NodeClaimRecord } from '../model/node-claim-record.ts';
import { nodeTarget } from '../model/node-patch.ts';
import type { WorkloadSelector } from '../model/settings.ts';
import { namespacedSubject } from '../model/subject.ts';
import { type Observed, readOr } from '../observed.ts';
import { type ClaimVerdict, unchanged } from './claim-verdict.ts';
import { LISTED_AFTER_MS } from './launch/launch.ts';
import { firstTier, isDrained } from './pods-to-drain.ts';
import { nextDrainPoll, pollUntilEnded } from './poll.ts';
import { isRegistered } from './registration.ts';
import { awaitTags, shuttingDown, terminate } from './terminate.ts';
import { interruptionEndMs, isInterrupted } from './turn.ts';
import {
  drainsVolumes,
  knownVolumes,
  type NodeVolumes,
  nextVolumeRead,
  volumesUnknown,
  whyVolumesAwaited,
  withoutVolumeWait,
  withUnreadVolumes,
} from './volume-detachment.ts';

/** D22: the minimum time of a drain, so that late pods are drained too. */
const MIN_DRAIN_MS = 5 * SECOND_MS;
/** A claim that is being deleted, with its node, its pods and the state of its instance. */
export interface TerminationView {
  readonly record: NodeClaimRecord;
  /** *Shape:* undefined if the cluster has no node of the instance. */
  readonly node: Observed<Node | undefined>;
  readonly pods: Observed<readonly Pod[]>;
  /** Pods that may stay pending if no other pods run in the cluster. @default none */
  readonly ignoreAtZero?: readonly WorkloadSelector[];
  /** Not listed: EC2 does not know it any more, or not yet. Unread: EC2 could not be asked, so it may be alive. */
  readonly instanceState: 'alive' | 'shutting-down' | 'terminated' | 'not-listed' | 'unread';
  /** D25: the volumes of the node. @default not read, because no drained pod had a volume, or pods are left */
  readonly volumes?: NodeVolumes;
  /** The instance does not have the ownership tags of the cluster. @default it has them */
  readonly untagged?: true;
  /** C36: a zonal shift is active for the instance's zone, so no EC2 call is made for it. @default false */
  readonly zoneShifted?: boolean;
}

/**
 * The next step of terminating a claim: cordon the node, evict pods tier by tier, terminate the instance, release the claim.
 * Each step depends only on the observed state, so it can be repeated. *Source:* D17–D27.
 */
export function decideTermination(view: TerminationView, nowMs: number): ClaimVerdict {
  const { record } = view;
  const { deletion } = record;
  if (deletion === undefined || record.releasedAtMs !== undefined) return unchanged(record);
  // D36: a launch with unknown outcome may have created an instance. Lifecycle determines the outcome first.
  if (record.launch.kind === 'requested') return { ...unchanged(record), due: [pollAfter(nowMs)] };
  const instance = instanceOf(record);
  if (instance === undefined) return release(view, nowMs);
  if (view.instanceState === 'terminated') return release(view, nowMs);
  if (view.instanceState === 'not-listed' && !mayRun(view)) {
    // EC2 may not list a new instance yet.
    const listedBy = record.launch.kind === 'launched' ? record.launch.atMs + LISTED_AFTER_MS : nowMs;
    return nowMs < listedBy ? { ...unchanged(record), due: [requeueAt(listedBy)] } : release(view, nowMs);
  }
  if (view.instanceState === 'shutting-down') {
    return { ...unchanged(shuttingDown(record, nowMs)), due: [pollUntilEnded(nowMs)] };
  }
  if (isRegistrationUnknown(view, nowMs)) return { ...unchanged(record), due: [pollAfter(nowMs)] };
  if (!mayHavePods(view)) return endInstance(view, record, { nowMs });
  const { actions, blocked, due, drained } = drain(view, deletion, nowMs);
  const startedAtMs = deletion.drainStartedAtMs ?? nowMs;
  const begun = beginDrain(view, deletion, nowMs);
  const draining = drained || view.pods.kind === 'unread' ? begun : withoutVolumeWait(begun);
  const earliest = startedAtMs + MIN_DRAIN_MS;
  // D24: at the deadline, the instance is terminated also if the API server refuses to delete its pods.
  const latest = Math.max(deletion.deadlineMs ?? Infinity, earliest);
  if (!drained && nowMs < latest) return { record: draining, actions, blocked, due: soonest(due, latest) };
  if (nowMs < earliest) return { record: draining, actions, blocked, due: [requeueAt(earliest)] };
  const waiting = withUnreadVolumes(draining, view.volumes, nowMs);
  const last = { ...view, ...optional({ volumes: knownVolumes(waiting, view.volumes, nowMs) }) };
  const end = drained ? undefined : 'TerminationGracePeriodElapsed';
  const ended = awaitVolumes(last, waiting, nowMs) ?? endInstance(last, waiting, { end, nowMs });
  if (drained) return ended;
  // Pods may be bound to a node that cannot be cordoned while EC2 does not terminate its instance.
  return {
    ...ended,
    actions: [...actions, ...ended.actions],
    blocked: [...blocked, ...ended.blocked],
    due: [...due, ...ended.due],
  };
}

/**
 * Whether the instance may run, so that its node is drained. D15: a Ready node runs, even if EC2 does not list its instance; after
 * EC2 has accepted the termination, the list decides.
 */
export function mayRun({
  record,
  node,
  instanceState,
}: Pick<TerminationView, 'record' | 'node' | 'instanceState'>): boolean {
  if (instanceState !== 'not-listed') return instanceState === 'alive' || instanceState === 'unread';
  const known = readOr(node, undefined);
  return known !== undefined && isNodeReady(known) && record.deletion?.terminateRequestedAtMs === undefined;
}

/**
 * Promise 7: the drain of an interrupted instance begins without EC2's list. EC2 has announced its end a moment ago, so it runs, and the list
 * may be slow when many instances end.
 */
export function beginsWithoutList({ record, node }: Pick<TerminationView, 'record' | 'node'>): boolean {
  const { deletion } = record;
  const hasBegun = (deletion?.drainStartedAtMs ?? deletion?.terminateRequestedAtMs) !== undefined;
  return mayHavePods({ record, node }) && !hasBegun && isInterrupted(record);
}

/** Whether pods may run on the claim's node: it has registered. The record of the registration may be lost. */
function mayHavePods({ record, node }: Pick<TerminationView, 'record' | 'node'>): boolean {
  if (node.kind === 'unread') return record.registeredAtMs !== undefined;
  return node.value !== undefined && (record.registeredAtMs !== undefined || isRegistered(node.value));
}

/** Promise 3: the nodes must be read to know whether pods run there. An interrupted instance, and one after the deadline, ends anyway. */
function isRegistrationUnknown({ record, node }: TerminationView, nowMs: number): boolean {
  const { registeredAtMs, deletion } = record;
  if (node.kind === 'read' || registeredAtMs !== undefined || isInterrupted(record)) return false;
  return nowMs < (deletion?.deadlineMs ?? Infinity);
}

/** The record of a drain: its start, and whether it evicts pods with volumes. */
function beginDrain(
  { record, node, pods: observed }: TerminationView,
  deletion: Deletion,
  nowMs: number,
): NodeClaimRecord {
  const { drainStartedAtMs = nowMs, volumes } = deletion;
  const pods = readOr(observed, []);
  const mayHaveEvicted = deletion.drainStartedAtMs === undefined && wasCordoned(readOr(node, undefined));
  const marked = volumes === undefined && (mayHaveEvicted || drainsVolumes(pods, nowMs));
  if (deletion.drainStartedAtMs !== undefined && !marked) return record;
  return { ...record, deletion: { ...deletion, drainStartedAtMs, ...(marked ? { volumes: true } : {}) } };
}

/** A drain whose record could not be written has begun before: it has cordoned the node, and may have evicted pods with volumes. */
function wasCordoned(node: Node | undefined): boolean {
  return node?.metadata.labels?.[EXCLUDE_FROM_BALANCERS] !== undefined;
}

/** D25. *Shape:* undefined if the instance can be terminated. */
function awaitVolumes({ volumes }: TerminationView, record: NodeClaimRecord, nowMs: number): ClaimVerdict | undefined {
  const { deletion } = record;
  const due = soonest([nextVolumeRead(record, nowMs)], deletion?.deadlineMs ?? Infinity);
  if (volumes?.kind === 'awaited') return { ...unchanged(record), due };
  const why = whyVolumesAwaited(record, volumes);
  if (deletion === undefined || why === undefined) return undefined;
  const verdict = { actions: [], blocked: [why], due };
  if (deletion.volumesAwaitedSinceMs !== undefined) return { ...verdict, record };
  return { ...verdict, record: { ...record, deletion: { ...deletion, volumesAwaitedSinceMs: nowMs } }, news: [why] };
}

function drain(view: TerminationView, deletion: Deletion, nowMs: number): Verdict & { readonly drained: boolean } {
  const { record } = view;
  const node = readOr(view.node, undefined);
  // Pods are evicted from a node that cannot be read, and so cannot be cordoned yet.
  const cordon = node === undefined ? [] : cordonActions(record, node);
  if (view.pods.kind === 'unread') return { actions: cordon, blocked: [], due: [pollAfter(nowMs)], drained: false };
  const pods = view.pods.value.filter((pod) => isDrained(pod, nowMs));
  const forced = pods.flatMap((pod) => {
    const atDeadline = forcedEviction(record, pod, { deletion, nowMs });
    return atDeadline.length > 0 ? atDeadline : deleteAtZero(view, pod, nowMs);
  });
  const left = pods.filter((pod) => !forced.some((one) => one.pod.uid === pod.metadata.uid));
  const held = left.filter((pod) => !isTerminating(pod) && isKeptInPlace(pod, nowMs));
  const evicted = firstTier(pods).filter((pod) => left.includes(pod) && !isTerminating(pod) && !held.includes(pod));
  // The kube-scheduler places their successors in this order. Small pods fit into what large ones leave.
  const evictions = hardestToPlaceFirst(evicted).map((pod) => ({
    kind: 'evict-pod' as const,
    nodeClaim: record.name,
    pod: targetOf(pod),
  }));
  // A node that could not be cordoned may get further pods, which have even less time.
  const poll = forced.length > 0 ? pollAfter(nowMs) : nextDrainPoll(pods, deletion, nowMs);
  return {
    actions: [...cordon, ...forced, ...evictions],
    blocked: held.map((pod) => heldBack(record, pod, node?.metadata.name ?? record.nodeName ?? '')),
    due: pods.length === 0 ? [] : [poll, ...nextForced(left, deletion, nowMs)],
    drained: pods.length === 0,
  };
}

/** D24: when the next of these pods is deleted without the Eviction API. */
function nextForced(pods: readonly Pod[], { deadlineMs }: Deletion, nowMs: number): readonly Due[] {
  if (deadlineMs === undefined) return [];
  return pods
    .map((pod) => deadlineMs - graceMsOf(pod))
    .filter((atMs) => atMs > nowMs)
    .map(requeueAt);
}

/** D19. */
function cordonActions(record: NodeClaimRecord, node: Node): readonly Action[] {
  const taints = node.spec?.taints ?? [];
  const others = taints.filter((taint) => !sameTaint(taint, DISRUPTED_TAINT));
  // The candidates of a disruption command have the taint before they are drained.
  if (others.length < taints.length && wasCordoned(node)) return [];
  return [
    {
      kind: 'cordon-node',
      nodeClaim: record.name,
      node: nodeTarget(node),
      patch: { taints: [...others, DISRUPTED_TAINT], labels: { [EXCLUDE_FROM_BALANCERS]: 'karpenter' } },
    },
  ];
}

/**
 * D24: before a deadline, a pod is deleted early enough for its grace period, regardless of PodDisruptionBudgets. The grace period of a pod
 * that ends after the deadline is shortened. The API server counts it from the first deletion: if it has passed, the kubelet has one second.
 */
function forcedEviction(
  record: NodeClaimRecord,
  pod: Pod,
  { deletion, nowMs }: { readonly deletion: Deletion; readonly nowMs: number },
): readonly (Action & { readonly kind: 'evict-pod' })[] {
  if (deletion.deadlineMs === undefined) return [];
  const latestMs = Math.max(deletion.deadlineMs, nowMs + SECOND_MS);
  const endMs = timeIn(pod.metadata.deletionTimestamp);
  if (endMs !== undefined && endMs <= latestMs) return [];
  if (nowMs < deletion.deadlineMs - graceMsOf(pod)) return [];
  const fromMs = deletedAtMs(pod);
  const graceSeconds = graceSecondsUntil(latestMs, Math.min(nowMs, fromMs ?? nowMs));
  const force = fromMs === undefined ? { graceSeconds, endsByMs: latestMs } : { graceSeconds };
  return [{ kind: 'evict-pod', nodeClaim: record.name, pod: targetOf(pod), force }];
}

/**
 * When the cluster scales to zero, pods that match ignoreAtZero are deleted regardless of PodDisruptionBudgets. Their budgets
 * would block the drain for ever, because no replacement pods can run.
 */
function deleteAtZero(
  { record, ignoreAtZero = [] }: TerminationView,
  pod: Pod,
  nowMs: number,
): readonly (Action & { readonly kind: 'evict-pod' })[] {
  const isDeleted = !isTerminating(pod) && canWait(pod, ignoreAtZero, nowMs);
  const graceSeconds = graceMsOf(pod) / SECOND_MS;
  return isDeleted ? [{ kind: 'evict-pod', nodeClaim: record.name, pod: targetOf(pod), force: { graceSeconds } }] : [];
}

/** C36: no EC2 call is made for an instance in a zone that the cluster is shifted away from. */
function endInstance(
  view: TerminationView,
  record: NodeClaimRecord,
  { end, nowMs }: { readonly end?: EarlyEnd | undefined; readonly nowMs: number },
): ClaimVerdict {
  if (view.zoneShifted === true) return { ...unchanged(record), due: [nextTick(nowMs)] };
  if (view.untagged === true) return awaitTags(record, nowMs);
  const { volumes } = view;
  const isUnknown = volumes?.kind === 'unknown';
  const verdict = terminate(record, end ?? (isUnknown ? 'VolumesUnknown' : undefined), nowMs);
  const unknown = isUnknown ? [volumesUnknown(record, volumes.message)] : [];
  const due = verdict.due.length === 0 ? [pollUntilEnded(nowMs)] : verdict.due;
  return { ...verdict, blocked: [...verdict.blocked, ...unknown], due };
}

/** The instance no longer exists: the finalizers of node and claim are removed, once the node can be read. */
function release({ record, node: observed }: TerminationView, nowMs: number): ClaimVerdict {
  if (observed.kind === 'unread') return { ...unchanged(record), due: [pollAfter(nowMs)] };
  const node = observed.value;
  const finalizers = (node?.metadata.finalizers ?? []).filter((one) => one !== TERMINATION_FINALIZER);
  return {
    record,
    actions: [
      {
        kind: 'release-node-claim',
        nodeClaim: record.name,
        atMs: nowMs,
        ...(node === undefined ? {} : { node: nodeTarget(node), finalizers }),
      },
    ],
    blocked: [],
    due: [],
  };
}

/** The refusal says when the pod ends: when its annotation ends, at the deadline (A6.3, D24), or with an interrupted instance. */
function heldBack({ nodePool, deletion }: NodeClaimRecord, pod: Pod, node: string): Blocked {
  const untilMs = Math.min(keptUntilMs(pod), (deletion?.deadlineMs ?? Infinity) - graceMsOf(pod));
  const until = Number.isFinite(untilMs) ? ` or until ${formatTime(untilMs)}` : '';
  const endMs = interruptionEndMs(deletion);
  const end = endMs === undefined ? '' : `, at the latest when EC2 ends the instance at about ${formatTime(endMs)}`;
  return {
    subject: namespacedSubject('Pod', pod),
    nodePool,
    reason: 'DoNotDisrupt',
    message: `it has the annotation ${DO_NOT_DISRUPT}: node ${node} is not terminated until it completes${until}${end}`,
    numbers: {},
  };
}

function targetOf(pod: Pod): PodTarget {
  return { namespace: pod.metadata.namespace ?? 'default', name: pod.metadata.name, uid: pod.metadata.uid ?? '' };
}

function soonest(due: readonly Due[], latestMs: number): readonly Due[] {
  return due.map(({ atMs }) => requeueAt(Math.min(atMs, latestMs)));
}
