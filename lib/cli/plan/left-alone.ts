import type { Pod } from '../../apis/kubernetes.ts';
import { isActive, isOwnedByDaemonSet, isProvisionable } from '../../core/cluster/pods.ts';
import { podNames } from './pod-groups.ts';

/** Pods without a node that no node is made for because they do not wait for one (B6, B8), a line each reason. */
export function unplacedOnPurpose(pods: readonly Pod[]): readonly string[] {
  const waiting = pods.filter(
    (pod) => pod.spec.nodeName === undefined && isActive(pod) && !isProvisionable(pod) && !isOwnedByDaemonSet(pod),
  );
  const byReason = Map.groupBy(waiting, whyLeftAlone);
  return [...byReason].map(([why, same]) => `left alone: ${podNames(same)}: ${why}`);
}

function whyLeftAlone({ spec, status }: Pod): string {
  const nominated = status?.nominatedNodeName ?? '';
  if ((spec.schedulingGates ?? []).length > 0) return 'held back by scheduling gates';
  if (nominated !== '') return `the scheduler makes room by preemption (nominatedNodeName ${nominated})`;
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False' && scheduled.reason === 'Unschedulable')
    return 'it belongs to its node, or asks to stay off the nodes of every NodePool';
  return 'the scheduler has not said that it finds no place (PodScheduled=False, reason Unschedulable)';
}
