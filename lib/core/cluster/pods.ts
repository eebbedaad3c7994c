import { parseDuration } from '../../apis/formats/duration.ts';
import { SECOND_MS, timeIn } from '../../apis/formats/time.ts';
import { conditionStatus, controllerOf, type Pod } from '../../apis/kubernetes.ts';
import { DO_NOT_DISRUPT, NODE_POOL } from '../../apis/labels.ts';
import { DISRUPTED_TAINT, tolerates } from '../../apis/taints.ts';
import { hasForeignNomination } from './nominated-node.ts';

/** Predicates on pods for provisioning, disruption and termination. */

export function isTerminal(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

export function isTerminating(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

export function isActive(pod: Pod): boolean {
  return !isTerminal(pod) && !isTerminating(pod);
}

export function isOwnedByDaemonSet(pod: Pod): boolean {
  return ownerKinds(pod).includes('DaemonSet');
}

/** The mirror of a static pod, which belongs to its node and cannot be moved. */
function isMirror(pod: Pod): boolean {
  return ownerKinds(pod).includes('Node');
}

/** An active pod that does not belong to every node. */
export function isActiveWorkload(pod: Pod): boolean {
  return isActive(pod) && !isOwnedByDaemonSet(pod);
}

/** Whether the pod keeps its node in use until it has ended. */
export function isWorkload(pod: Pod): boolean {
  return !isTerminal(pod) && !isOwnedByDaemonSet(pod) && !isMirror(pod);
}

/** B6: the scheduler found no node for the pod and does not preempt other pods for it. Kerf's own nomination does not count (B66). */
export function isProvisionable(pod: Pod): boolean {
  // Most pods have a node.
  if (pod.spec.nodeName !== undefined) return false;
  const scheduled = pod.status?.conditions?.find((condition) => condition.type === 'PodScheduled');
  return (
    isActive(pod) &&
    scheduled?.status === 'False' &&
    scheduled.reason === 'Unschedulable' &&
    !hasForeignNomination(pod) &&
    !isOwnedByDaemonSet(pod) &&
    !isMirror(pod) &&
    !refusesKerf(pod)
  );
}

/** Since when the scheduler has found no node for the pod. *Shape:* undefined for a pod without times that can be read, such as one from a file. */
export function pendingSinceMs({ metadata, status }: Pod): number | undefined {
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  return timeIn(scheduled?.lastTransitionTime) ?? timeIn(metadata.creationTimestamp);
}

/** B8: a pod that excludes all nodes of NodePools is ignored without an event. */
function refusesKerf(pod: Pod): boolean {
  const terms =
    pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return (
    terms.length > 0 &&
    terms.every((term) =>
      (term.matchExpressions ?? []).some((one) => one.key === NODE_POOL && one.operator === 'DoesNotExist'),
    )
  );
}

/** B7: a pod that needs another node when its node is removed. */
export function isReschedulable(pod: Pod): boolean {
  const wanted = isActive(pod) || (isTerminating(pod) && !isTerminal(pod) && ownerKinds(pod).includes('StatefulSet'));
  return wanted && !isOwnedByDaemonSet(pod) && !isMirror(pod);
}

/** D21: whether a drain evicts the pod. Other pods end together with the node. */
export function isDrainable(pod: Pod): boolean {
  return !isTerminal(pod) && !isMirror(pod) && !tolerates(pod.spec.tolerations ?? [], DISRUPTED_TAINT);
}

/** Whether a controller replaces the pod without loss. A bare pod is not replaced, and a Job's pod loses its progress. */
export function isMadeAgain(pod: Pod): boolean {
  const controller = controllerOf(pod);
  return controller !== undefined && controller.kind !== 'Job';
}

/** The Kubernetes default of terminationGracePeriodSeconds. */
const DEFAULT_GRACE_SECONDS = 30;

/** The time from the eviction of the pod to its end. */
export function graceMsOf({ spec }: Pod): number {
  return (spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS) * SECOND_MS;
}

/** D24: the grace period, in whole seconds, of a pod that is deleted at a time and must end by another. One second is the shortest that the kubelet respects. */
export function graceSecondsUntil(endMs: number, fromMs: number): number {
  return Math.max(1, Math.floor((endMs - fromMs) / SECOND_MS));
}

/** When a pod that ends was first deleted or evicted. *Shape:* undefined if it does not end. */
export function deletedAtMs(pod: Pod): number | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds: seconds } = pod.metadata;
  const endMs = timeIn(deletionTimestamp);
  return endMs === undefined ? undefined : endMs - (seconds === undefined ? graceMsOf(pod) : seconds * SECOND_MS);
}

export function isReady(pod: Pod): boolean {
  return conditionStatus(pod, 'Ready') === 'True';
}

function ownerKinds(pod: Pod): readonly string[] {
  return (pod.metadata.ownerReferences ?? []).map((owner) => owner.kind);
}

/** A6.3: the value of the annotation do-not-disrupt of the pod if it is ignored. `false` is what it says. */
export function ignoredDoNotDisrupt({ metadata }: Pod): string | undefined {
  const value = metadata.annotations?.[DO_NOT_DISRUPT];
  if (value === undefined || value === 'true' || value === 'false') return undefined;
  return (parseDuration(value) ?? 0) > 0 ? undefined : value;
}

export function isKeptInPlace(pod: Pod, nowMs: number): boolean {
  return nowMs < keptUntilMs(pod);
}

/**
 * A6.3: when the annotation do-not-disrupt of the pod ends. `true` does not end; a Go duration counts from the pod's start. Other
 * values are ignored. *Shape:* Infinity if it does not end, -Infinity without the annotation.
 */
export function keptUntilMs({ metadata, status }: Pod): number {
  const value = metadata.annotations?.[DO_NOT_DISRUPT];
  if (value === 'true') return Infinity;
  const forMs = parseDuration(value ?? '') ?? 0;
  if (forMs <= 0) return -Infinity;
  return (timeIn(status?.startTime) ?? Infinity) + forMs;
}
