import { type Pod, podKey } from '../../../apis/kubernetes.ts';
import { allowsNoEviction, selectsPod } from '../../cluster/pod-disruption-budgets.ts';
import { isKeptInPlace } from '../../cluster/pods.ts';
import { stateNodes } from '../../cluster/state-node.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { behindPodsThatStay } from '../../node-claim/pods-to-drain.ts';

/** B7: whether a drain does not evict a pod: because of its annotation, or a budget that never allows an eviction. */
export function staysOnNode(
  { podDisruptionBudgets }: Pick<ClusterSnapshot, 'podDisruptionBudgets'>,
  nowMs: number,
): (pod: Pod) => boolean {
  const never = podDisruptionBudgets.filter(allowsNoEviction);
  return (pod) => isKeptInPlace(pod, nowMs) || never.some((budget) => selectsPod(budget, pod));
}

/**
 * The pods of drained nodes whose turn comes after that of a pod that stays. This may last for days. *Shape:* keys of pods.
 * *Cost:* O(pods of drained nodes × budgets that never allow an eviction).
 */
export function podsReachedLater(snapshot: ClusterSnapshot, nowMs: number): ReadonlySet<string> {
  const stays = staysOnNode(snapshot, nowMs);
  const drained = stateNodes(snapshot).filter(({ nodeClaim }) => nodeClaim?.deletion !== undefined);
  return new Set(drained.flatMap(({ pods }) => behindPodsThatStay(pods, { stays, nowMs }).map(podKey)));
}
