import { MINUTE_MS, parseTime, SECOND_MS } from '../../apis/formats/time.ts';
import type { Node, Pod } from '../../apis/kubernetes.ts';
import { DO_NOT_DISRUPT, EXCLUDE_FROM_BALANCERS, TERMINATION_FINALIZER } from '../../apis/labels.ts';
import { DISRUPTED_TAINT, sameTaint } from '../../apis/taints.ts';
import { canWait } from '../cluster/at-rest.ts';
import { isDrainable, isKeptInPlace, isOwnedByDaemonSet, isTerminating } from '../cluster/pods.ts';
import { type Action, type Blocked, type Due, type PodTarget, requeueAt, type Verdict } from '../model/decision.ts';
import { type Deletion, instanceOf, type NodeClaimRecord } from '../model/node-claim-record.ts';
import { nodeTarget } from '../model/node-patch.ts';
import type { WorkloadSelector } from '../model/settings.ts';
import { namespacedSubject } from '../model/subject.ts';
import { LISTED_AFTER_MS } from './launch/launch.ts';

/** D22: a drain is not over before daemons and latecomers had time to show. */
const MIN_DRAIN_MS = 5 * SECOND_MS;
/** D23, D26: how often an eviction that was refused is tried again, and EC2 asked for the instance. */
const POLL_MS = 5 * SECOND_MS;
/** D21: a pod that should have ended a minute ago has lost its kubelet. */
const STUCK_MS = 60 * SECOND_MS;
/** Kubernetes's default for terminationGracePeriodSeconds. */
const DEFAULT_GRACE_SECONDS = 30;

/** A claim that is being deleted, with its node, the pods there, and what EC2 says of the instance. */
export interface TerminationView {
  readonly record: NodeClaimRecord;
  readonly node?: Node;
  readonly pods: readonly Pod[];
  /** Pods that can wait, where nothing else runs in the cluster by now and none of its nodes stays for them. @default none */
  readonly ignoreAtZero?: readonly WorkloadSelector[];
  /** Undefined once EC2 has it no more. */
  readonly instanceState?: 'alive' | 'shutting-down';
  /** C36: the cluster is shifted away from the instance's zone, where EC2 is not to be asked for anything. @default false */
  readonly zoneShifted?: boolean;
}

export interface TerminationVerdict extends Verdict {
  readonly record: NodeClaimRecord;
}

/**
 * The next step of taking a claim down: cordon, evict tier by tier, terminate the instance, release the claim. Every step
 * goes by what is seen, so it can be repeated by anyone. *Source:* D17–D27.
 */
export function decideTermination(view: TerminationView, nowMs: number): TerminationVerdict {
  const { record, node } = view;
  const { deletion } = record;
  if (deletion === undefined || record.releasedAtMs !== undefined) return nothing(record);
  // D36: a launch whose outcome is unknown may have made an instance: lifecycle settles it first.
  if (record.launch.kind === 'requested') return { ...nothing(record), due: [pollAfter(nowMs)] };
  const instance = instanceOf(record);
  if (instance === undefined) return release(view, nowMs);
  if (view.instanceState === undefined) {
    // EC2 may not list yet what it has just launched: that is no proof that it is gone.
    const listedBy = record.launch.kind === 'launched' ? record.launch.atMs + LISTED_AFTER_MS : nowMs;
    return nowMs < listedBy ? { ...nothing(record), due: [requeueAt(listedBy)] } : release(view, nowMs);
  }
  if (view.instanceState === 'shutting-down') return { ...nothing(record), due: [pollAfter(nowMs)] };
  if (node === undefined || record.registeredAtMs === undefined) return terminate(view, record, nowMs);
  const { actions, blocked, due, drained } = drain(view, deletion, nowMs);
  const startedAtMs = deletion.drainStartedAtMs ?? nowMs;
  const draining =
    deletion.drainStartedAtMs === undefined
      ? { ...record, deletion: { ...deletion, drainStartedAtMs: nowMs } }
      : record;
  if (!drained) return { record: draining, actions, blocked, due };
  const earliest = startedAtMs + MIN_DRAIN_MS;
  if (nowMs < earliest) return { record: draining, actions, blocked, due: [requeueAt(earliest)] };
  return terminate(view, draining, nowMs);
}

function drain(view: TerminationView, deletion: Deletion, nowMs: number): Verdict & { readonly drained: boolean } {
  const { record, node } = view;
  const cordon = node === undefined ? [] : cordonActions(record, node);
  const pods = view.pods.filter((pod) => isDrainable(pod) && !isStuck(pod, nowMs));
  const forced = pods.flatMap((pod) => {
    const atDeadline = forcedEviction(record, pod, { deletion, nowMs });
    return atDeadline.length > 0 ? atDeadline : letWait(view, pod, nowMs);
  });
  const held = pods.filter((pod) => !isTerminating(pod) && isKeptInPlace(pod, nowMs));
  const evictions = firstTier(pods)
    .filter((pod) => !isTerminating(pod) && !held.includes(pod))
    .filter((pod) => !forced.some((one) => one.pod.uid === pod.metadata.uid))
    .map((pod) => ({ kind: 'evict-pod' as const, nodeClaim: record.name, pod: targetOf(pod) }));
  return {
    actions: [...cordon, ...forced, ...evictions],
    blocked: held.map((pod) => heldBack(record, pod)),
    due: pods.length === 0 ? [] : [pollAfter(nowMs)],
    drained: pods.length === 0,
  };
}

/** D19. */
function cordonActions(record: NodeClaimRecord, node: Node): readonly Action[] {
  const taints = node.spec?.taints ?? [];
  if (taints.some((taint) => sameTaint(taint, DISRUPTED_TAINT))) return [];
  return [
    {
      kind: 'cordon-node',
      nodeClaim: record.name,
      node: nodeTarget(node),
      patch: { taints: [...taints, DISRUPTED_TAINT], labels: { [EXCLUDE_FROM_BALANCERS]: 'karpenter' } },
    },
  ];
}

/** D20: plain pods, then daemons, then critical pods, then critical daemons; a tier begins when the one before is gone. */
function firstTier(pods: readonly Pod[]): readonly Pod[] {
  const tiers = Map.groupBy(pods, tierOf);
  const first = Math.min(...tiers.keys());
  return tiers.get(first) ?? [];
}

function tierOf(pod: Pod): number {
  const critical = ['system-cluster-critical', 'system-node-critical'].includes(pod.spec.priorityClassName ?? '');
  return (critical ? 2 : 0) + (isOwnedByDaemonSet(pod) ? 1 : 0);
}

/** D24: with a deadline, a pod is forced out in time to use its own grace period, PDB or not, and must not outlast it. */
function forcedEviction(
  record: NodeClaimRecord,
  pod: Pod,
  { deletion, nowMs }: { readonly deletion: Deletion; readonly nowMs: number },
): readonly (Action & { readonly kind: 'evict-pod' })[] {
  const { deletionTimestamp } = pod.metadata;
  if (deletion.deadlineMs === undefined) return [];
  const latestMs = Math.max(deletion.deadlineMs, nowMs + SECOND_MS);
  if (deletionTimestamp !== undefined && parseTime(deletionTimestamp) <= latestMs) return [];
  const graceMs = (pod.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS) * SECOND_MS;
  if (nowMs < deletion.deadlineMs - graceMs) return [];
  const graceSeconds = Math.max(1, Math.floor((deletion.deadlineMs - nowMs) / SECOND_MS));
  return [{ kind: 'evict-pod', nodeClaim: record.name, pod: targetOf(pod), force: { graceSeconds } }];
}

/**
 * A pod that can wait goes with the cluster's last nodes, PDB or not: its budget counts replicas that will not be there, and
 * would hold the node for ever, whatever the node goes for.
 */
function letWait(
  { record, ignoreAtZero = [] }: TerminationView,
  pod: Pod,
  nowMs: number,
): readonly (Action & { readonly kind: 'evict-pod' })[] {
  const goes = !isTerminating(pod) && canWait(pod, ignoreAtZero, nowMs);
  const graceSeconds = pod.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
  return goes ? [{ kind: 'evict-pod', nodeClaim: record.name, pod: targetOf(pod), force: { graceSeconds } }] : [];
}

function isStuck(pod: Pod, nowMs: number): boolean {
  const { deletionTimestamp } = pod.metadata;
  return deletionTimestamp !== undefined && nowMs - parseTime(deletionTimestamp) > STUCK_MS;
}

function terminate(view: TerminationView, record: NodeClaimRecord, nowMs: number): TerminationVerdict {
  const { deletion } = record;
  const instance = instanceOf(record);
  if (deletion === undefined || instance === undefined) return nothing(record);
  if (view.zoneShifted === true) return { ...nothing(record), due: [requeueAt(nowMs + MINUTE_MS)] };
  const asked =
    deletion.terminateRequestedAtMs === undefined
      ? { ...record, deletion: { ...deletion, terminateRequestedAtMs: nowMs } }
      : record;
  return {
    record: asked,
    actions: [{ kind: 'terminate-instance', nodeClaim: record.name, instanceId: instance.id }],
    blocked: [],
    due: [pollAfter(nowMs)],
  };
}

/** Nothing of it is left in EC2: the node and the claim may go. */
function release({ record, node }: TerminationView, nowMs: number): TerminationVerdict {
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

function heldBack(record: NodeClaimRecord, pod: Pod): Blocked {
  return {
    subject: namespacedSubject('Pod', pod),
    nodePool: record.nodePool,
    reason: 'DoNotDisrupt',
    message: `it carries ${DO_NOT_DISRUPT}: its node ${record.nodeName ?? ''} waits for it to end`,
    numbers: {},
  };
}

function targetOf(pod: Pod): PodTarget {
  return { namespace: pod.metadata.namespace ?? 'default', name: pod.metadata.name, uid: pod.metadata.uid ?? '' };
}

function nothing(record: NodeClaimRecord): TerminationVerdict {
  return { record, actions: [], blocked: [], due: [] };
}

/** The next look: on a grid that all claims share, so that their wakes are one. */
function pollAfter(nowMs: number): Due {
  return requeueAt((Math.floor(nowMs / POLL_MS) + 1) * POLL_MS);
}
