import { parseDuration } from '../../apis/duration.ts';
import { conditionStatus, type Pod } from '../../apis/kubernetes.ts';
import { DO_NOT_DISRUPT, NODE_POOL } from '../../apis/labels.ts';
import { DISRUPTED_TAINT, tolerates } from '../../apis/taints.ts';
import { parseTime } from '../../apis/time.ts';

/** Which pods count for what: the questions that provisioning, disruption and termination ask of a pod. */

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

/** A static pod: its node made it, nobody else can move it. */
function isMirror(pod: Pod): boolean {
  return ownerKinds(pod).includes('Node');
}

/** B6: the scheduler tried, found no place, and is not making room by preemption. */
export function isProvisionable(pod: Pod): boolean {
  const scheduled = pod.status?.conditions?.find((condition) => condition.type === 'PodScheduled');
  return (
    pod.spec.nodeName === undefined &&
    isActive(pod) &&
    scheduled?.status === 'False' &&
    scheduled.reason === 'Unschedulable' &&
    (pod.status?.nominatedNodeName ?? '') === '' &&
    !isOwnedByDaemonSet(pod) &&
    !isMirror(pod) &&
    !refusesKerf(pod)
  );
}

/** B8: a pod that asks to stay off every node of ours is left alone without a word. */
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

/** B7: a pod that must find a new place when its node goes. */
export function isReschedulable(pod: Pod): boolean {
  const wanted = isActive(pod) || (isTerminating(pod) && !isTerminal(pod) && ownerKinds(pod).includes('StatefulSet'));
  return wanted && !isOwnedByDaemonSet(pod) && !isMirror(pod);
}

/** D21: pods that a drain leaves where they are: they end with the node. */
export function isDrainable(pod: Pod): boolean {
  return !isTerminal(pod) && !isMirror(pod) && !tolerates(pod.spec.tolerations ?? [], DISRUPTED_TAINT);
}

/** Whether its controller makes another that does as well: a bare pod is gone for good, and with a Job's pod its work. */
export function isMadeAgain(pod: Pod): boolean {
  const controller = pod.metadata.ownerReferences?.find((owner) => owner.controller === true);
  return controller !== undefined && controller.kind !== 'Job';
}

export function isReady(pod: Pod): boolean {
  return conditionStatus(pod, 'Ready') === 'True';
}

function ownerKinds(pod: Pod): readonly string[] {
  return (pod.metadata.ownerReferences ?? []).map((owner) => owner.kind);
}

/** A6.3: `true`, or for a Go duration from the pod's start; anything else says nothing. */
export function isKeptInPlace(pod: Pod, nowMs: number): boolean {
  const value = pod.metadata.annotations?.[DO_NOT_DISRUPT];
  if (value === undefined || value === 'true') return value === 'true';
  const forMs = parseDuration(value) ?? 0;
  const startTime = pod.status?.startTime;
  return forMs > 0 && (startTime === undefined || nowMs < parseTime(startTime) + forMs);
}
