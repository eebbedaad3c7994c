import { type Pod, selectorMatches } from '../../apis/kubernetes.ts';
import { holds, selectsPod } from '../cluster/pod-disruption-budgets.ts';
import { isActive, isProvisionable, isReschedulable } from '../cluster/pods.ts';
import type { StateNode } from '../cluster/state-node.ts';
import { onceFor } from '../kept-answers.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Refusal } from '../model/refusal.ts';
import { requiredAffinityTerms } from '../scheduling/pods/pod-affinity-terms.ts';
import { whyIgnored } from './ignored-pod.ts';
import { awaitedBySpread } from './moved-pods/awaited-by-spread.ts';
import { awaitedPods } from './moved-pods/evicted-pods.ts';
import { keptDomains } from './moved-pods/kept-domains.ts';
import { staysOnNode } from './moved-pods/reached-later.ts';

export interface PodsToPlace {
  readonly pods: readonly Pod[];
  /** Pods that need a node, but for which none can be launched. */
  readonly refused: readonly { readonly pod: Pod; readonly refusal: Refusal }[];
}

type Seen = Pick<ClusterSnapshot, 'pods' | 'bufferPods' | 'nodes' | 'podDisruptionBudgets'>;

/**
 * The pods that need a node: pods that the kube-scheduler marked as unschedulable (B6), virtual pods of CapacityBuffers (B65),
 * and pods on nodes that are being deleted, with those that were evicted a moment ago (B7).
 */
export function podsToPlace(snapshot: Seen, nodes: readonly StateNode[], nowMs: number): PodsToPlace {
  const deleting = nodes.filter((one) => one.deleting);
  const { pods, refused } = podsToPlaceFrom(snapshot, nowMs)(deleting);
  const onNodes = deleting.flatMap((node) => node.pods);
  const awaited = awaitedPods(onNodes, snapshot.pods, nowMs).filter((pod) => whyIgnored(pod) === undefined);
  return { pods: [...pods, ...awaited], refused };
}

/** The same for any set of nodes that are removed. *Cost:* O(pods) once, then O(pods of these nodes + pending pods). */
export function podsToPlaceFrom(snapshot: Seen, nowMs: number): (removed: readonly StateNode[]) => PodsToPlace {
  const pending = [...snapshot.pods, ...(snapshot.bufferPods ?? [])].filter(isProvisionable);
  const stays = staysOnNode(snapshot, nowMs);
  const awaited = awaitedBeside(snapshot, pending);
  const inFullDomain = awaitedBySpread(snapshot, pending);
  const kept = keptDomains(snapshot);
  const ignored = onceFor(whyIgnored);
  const mayMove = onceFor((pod: Pod) => isReschedulable(pod) && !stays(pod) && !inFullDomain(pod));
  return (removed) => {
    const names = new Set(removed.map(({ name }) => name));
    const inItsDomain = kept(removed);
    /** B7: they need a node before they are evicted, except for pods that will not be evicted. */
    const moves = (pod: Pod): boolean => mayMove(pod) && !awaited(pod, names);
    const pods: Pod[] = [];
    const refused: { readonly pod: Pod; readonly refusal: Refusal }[] = [];
    for (const pod of [
      ...pending,
      ...removed.flatMap((node) => node.pods.filter(moves).map((one) => inItsDomain(one, node))),
    ]) {
      const refusal = ignored(pod);
      if (refusal === undefined) pods.push(pod);
      else refused.push({ pod, refusal });
    }
    return { pods, refused };
  };
}

/**
 * B7: whether a pod of the removed nodes and a pending pod wait for each other. A budget allows no eviction until the pending pod is ready, and
 * required affinity allows that one only where such pods run, which is on these nodes only. If the plan moved the first pod to another zone,
 * the pending pod would be planned there too, and the kube-scheduler would not bind it. *Cost:* O(pods) once for each budget of such pending
 * pods, then O(places of its pods).
 */
function awaitedBeside(
  { pods, podDisruptionBudgets }: Seen,
  pending: readonly Pod[],
): (pod: Pod, removed: ReadonlySet<string>) => boolean {
  const beside = pending.flatMap((pod) =>
    requiredAffinityTerms(pod).map(({ labelSelector }) => ({ pod, labelSelector })),
  );
  const waits = podDisruptionBudgets.flatMap((budget) => {
    const selectors = beside.filter(({ pod }) => selectsPod(budget, pod)).map(({ labelSelector }) => labelSelector);
    if (selectors.length === 0) return [];
    const isBeside = ({ metadata }: Pod): boolean => selectors.some((one) => selectorMatches(one, metadata.labels));
    const bound = pods.filter((pod) => isActive(pod) && selectsPod(budget, pod) && isBeside(pod));
    return [{ budget, isBeside, places: bound.flatMap(({ spec }) => spec.nodeName ?? []) }];
  });
  return (held, removed) =>
    waits.some(
      ({ budget, isBeside, places }) =>
        holds(budget, held) && isBeside(held) && places.every((place) => removed.has(place)),
    );
}
