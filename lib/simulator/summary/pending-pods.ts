import { formatDuration } from '../../apis/formats/duration.ts';
import { MINUTE_MS, SECOND_MS, timeIn } from '../../apis/formats/time.ts';
import { conditionStatus, type Pod, podKey } from '../../apis/kubernetes.ts';
import { INITIALIZED } from '../../apis/labels.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import { hasForeignNomination } from '../../core/cluster/nominated-node.ts';
import { isTerminating } from '../../core/cluster/pods.ts';
import { compareText } from '../../core/compare-text.ts';
import type { Decision } from '../../core/model/decision.ts';
import { formatSubject, namespacedSubject } from '../../core/model/subject.ts';
import { groupByReasons, type PodRefusal, reasonLines } from '../../core/provisioning/pod-refusals.ts';
import { whyClaimsRefuse, whyNodesRefuseClaims } from '../kubernetes/scheduler/volume-refusals.ts';
import type { KubernetesState } from '../kubernetes/state.ts';
import { workloadOf } from '../kubernetes/workloads/simulated-workload.ts';

/** A pod that is pending at the end. */
export interface PendingPod {
  readonly pod: string;
  readonly workload: string;
  /** Why: each reason once, joined by semicolons. */
  readonly reason: string;
  /** The time for which it has been pending at the end. */
  readonly pendingSeconds: number;
  /** False for a pod that cannot be expected to run yet: `--fail-on-pending` ignores it. */
  readonly expectedToRun: boolean;
}

/** Pods that are pending for the same reasons. */
export interface PendingGroup {
  readonly count: number;
  /** As `namespace/name`, in order. */
  readonly pods: readonly string[];
  /** One line for each reason, with the NodePools that refuse the pods. */
  readonly reasons: readonly string[];
}

export interface PendingReport {
  /** By name. */
  readonly podsPending: readonly PendingPod[];
  /** The largest group first. */
  readonly podsPendingByReason: readonly PendingGroup[];
}

/** Why the last run of provisioning placed pods nowhere, by the subject of the refusal. */
export type LastRefusals = Map<string, readonly PodRefusal[]>;

/** Replaces the refusals by those of a decision of provisioning. */
export function keepRefusals(refusals: LastRefusals, { blocked, onExistingNodes = [] }: Decision): void {
  refusals.clear();
  for (const [subject, why] of Map.groupBy(blocked, (one) => formatSubject(one.subject))) refusals.set(subject, why);
  for (const { pods, refusal } of onExistingNodes) {
    for (const pod of pods) {
      const [namespace = '', name = ''] = pod.split('/');
      const subject = formatSubject({ kind: 'Pod', namespace, name });
      refusals.set(subject, [refusal, ...(refusals.get(subject) ?? [])]);
    }
  }
}

export interface PendingParts {
  readonly state: KubernetesState;
  readonly refusals: LastRefusals;
  /** Since when a pod has been pending. */
  readonly sinceMs: (pod: string) => number;
  /** The last NodeClaim that was created for a pod. */
  readonly nodeClaimOf: (pod: string) => string | undefined;
  readonly nowMs: number;
  /** Whether only expiry remains. */
  readonly isSettled: boolean;
  /** Why the last run of provisioning failed. @default it succeeded */
  readonly failure?: string;
}

export function pendingPods(parts: PendingParts): PendingReport {
  const pods = [...parts.state.pods.values()]
    .filter((pod) => pod.status?.phase === 'Pending')
    .toSorted((a, b) => compareText(podKey(a), podKey(b)));
  const reasons = new Map(pods.map((pod) => [pod, reasonsOf(pod, parts)]));
  const groups = groupByReasons(pods, (pod) => reasons.get(pod) ?? []);
  return {
    podsPending: pods.map((pod) => {
      const pendingMs = parts.nowMs - parts.sinceMs(podKey(pod));
      return {
        pod: podKey(pod),
        workload: workloadOf(pod),
        reason: (reasons.get(pod) ?? []).map(inOneText).join('; '),
        pendingSeconds: pendingMs / SECOND_MS,
        expectedToRun: isExpectedToRun(pod, pendingMs, parts),
      };
    }),
    podsPendingByReason: groups.map((group) => ({
      count: group.pods.length,
      pods: group.pods.map(podKey),
      reasons: reasonLines(group.reasons),
    })),
  };
}

function inOneText({ nodePool, message }: Reason): string {
  return nodePool === undefined ? message : `NodePool ${nodePool}: ${message}`;
}

type Reason = Pick<PodRefusal, 'nodePool' | 'message'>;

function reasonsOf(pod: Pod, parts: PendingParts): readonly Reason[] {
  const why = parts.refusals.get(formatSubject(namespacedSubject('Pod', pod))) ?? [];
  if (why.length > 0) return why;
  return [{ message: whyWithoutRefusal(pod, parts) }];
}

function whyWithoutRefusal(pod: Pod, parts: PendingParts): string {
  const { state } = parts;
  if (isGated(pod)) return 'it has scheduling gates';
  const { nodeName } = pod.spec;
  if (nodeName !== undefined)
    return state.nodes.has(nodeName) ? `it is starting on ${nodeName}` : `its node ${nodeName} does not exist`;
  if (hasForeignNomination(pod))
    return `it waits on ${pod.status?.nominatedNodeName} until pods of lower priority have ended`;
  return whyClaimsRefuse(state, pod) ?? whyUnbound(pod, parts);
}

/** Why a pod that the last run has not refused is not bound. */
function whyUnbound(pod: Pod, { state, sinceMs, nodeClaimOf, nowMs, failure }: PendingParts): string {
  const claim = state.nodeClaims.get(nodeClaimOf(podKey(pod)) ?? '');
  if (claim === undefined && failure !== undefined) return `the last run of provisioning failed: ${failure}`;
  const isNew = nowMs - sinceMs(podKey(pod)) < STARTS_WITHIN_MS;
  const isComing = [...state.nodeClaims.values()].some(({ status }) => !isInitialized(state, status?.nodeName));
  const ofVolumes = isNew && isComing ? undefined : whyNodesRefuseClaims(state, pod);
  if (ofVolumes !== undefined) return ofVolumes;
  if (claim !== undefined && !isNew && conditionStatus(claim, 'Registered') !== 'True')
    return whyNotRegistered(claim, nowMs);
  return isNew ? 'its node does not exist yet' : 'Kerf has a node for it, and the scheduler has not bound it there';
}

function whyNotRegistered({ metadata: { name, creationTimestamp } }: NodeClaim, nowMs: number): string {
  const createdAtMs = timeIn(creationTimestamp);
  const age = createdAtMs === undefined ? undefined : formatDuration(nowMs - createdAtMs);
  return `NodeClaim ${name}, which was created for it${age === undefined ? '' : ` ${age} ago`}, has not registered`;
}

function isInitialized({ nodes }: KubernetesState, name = ''): boolean {
  return nodes.get(name)?.metadata.labels?.[INITIALIZED] === 'true';
}

/** A node that is being launched takes a minute or two. */
const STARTS_WITHIN_MS = 5 * MINUTE_MS;

/**
 * Whether the pod should run by now: Kerf refuses it, it has been pending for five minutes, or nothing more happens. Scheduling
 * gates are opened by parts of the cluster that are not simulated, so a gated pod is not expected to run.
 */
function isExpectedToRun(pod: Pod, pendingMs: number, { refusals, isSettled }: PendingParts): boolean {
  if (isGated(pod) || isTerminating(pod)) return false;
  const isRefused = refusals.has(formatSubject(namespacedSubject('Pod', pod)));
  return isRefused || isSettled || pendingMs >= STARTS_WITHIN_MS;
}

function isGated({ spec }: Pod): boolean {
  return (spec.schedulingGates ?? []).length > 0;
}
