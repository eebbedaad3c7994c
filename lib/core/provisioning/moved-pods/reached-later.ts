import { type Pod, podKey } from '../../../apis/kubernetes.ts';
import { allowsNoEviction, selectsPod } from '../../cluster/pod-disruption-budgets.ts';
import { isKeptInPlace } from '../../cluster/pods.ts';
import { stateNodes } from '../../cluster/state-node.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { behindPodsThatStay } from '../../node-claim/pods-to-drain.ts';

/**
 * The pods of drained nodes whose turn comes after that of a pod that is not evicted, because of its annotation or a budget that never allows
 * it. This may last for days. *Shape:* keys of pods. *Cost:* O(pods of drained nodes × such budgets).
 */
export function podsReachedLater(snapshot: ClusterSnapshot, nowMs: number): ReadonlySet<string> {
  const never = snapshot.podDisruptionBudgets.filter(allowsNoEviction);
  const stays = (pod: Pod): boolean => isKeptInPlace(pod, nowMs) || never.some((budget) => selectsPod(budget, pod));
  const drained = stateNodes(snapshot).filter(({ nodeClaim }) => nodeClaim?.deletion !== undefined);
  return new Set(drained.flatMap(({ pods }) => behindPodsThatStay(pods, { stays, nowMs }).map(podKey)));
}
