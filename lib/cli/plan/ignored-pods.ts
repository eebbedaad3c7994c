import { type Node, type Pod, podKey } from '../../apis/kubernetes.ts';
import { isActiveWorkload, isProvisionable, isTerminal } from '../../core/cluster/pods.ts';
import { podNames } from '../render/pod-names.ts';

/** Notes on pods without a node that provisioning ignores (B6, B8), one for each reason. */
export function ignoredPodNotes(pods: readonly Pod[]): readonly string[] {
  const waiting = pods.filter(
    (pod) => pod.spec.nodeName === undefined && isActiveWorkload(pod) && !isProvisionable(pod),
  );
  const byReason = Map.groupBy(waiting, whyIgnored);
  return [...byReason].map(([why, same]) => `ignored: ${podNames(same.map(podKey))}: ${why}`);
}

/** A note on pods of manifests that are bound to nodes that the snapshot does not have, as in an export of a cluster. */
export function pastPodNotes(pods: readonly Pod[], nodes: readonly Node[]): readonly string[] {
  const known = new Set(nodes.map(({ metadata }) => metadata.name));
  const past = pods.filter(
    (pod) => pod.spec.nodeName !== undefined && !known.has(pod.spec.nodeName) && !isTerminal(pod),
  );
  const why = 'bound to a node that the plan does not have; to plan a pod, remove its spec.nodeName';
  return past.length === 0 ? [] : [`ignored: ${podNames(past.map(podKey))}: ${why}`];
}

/** Why provisioning ignores a pod without a node. */
export function whyIgnored({ spec, status }: Pod): string {
  const nominated = status?.nominatedNodeName ?? '';
  if ((spec.schedulingGates ?? []).length > 0) return 'has scheduling gates';
  if (nominated !== '') return `waits for preemption on node ${nominated} (nominatedNodeName)`;
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False' && scheduled.reason === 'Unschedulable')
    return 'is a static pod, or its node affinity excludes the nodes of NodePools';
  return 'is not marked as unschedulable (PodScheduled=False, reason Unschedulable)';
}
