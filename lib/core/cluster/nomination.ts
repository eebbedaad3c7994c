import { MINUTE_MS, SECOND_MS } from '../../apis/formats/time.ts';
import type { Pod } from '../../apis/kubernetes.ts';
import type { Action } from '../model/decision.ts';
import { isActive, isReschedulable } from './pods.ts';

/** B5: two ticks. Karpenter polls every 10 s and nominates for 20 s. */
const NOMINATION_MS = 2 * MINUTE_MS;

/**
 * A nomination that ends sooner is renewed. More than a tick: the run of the next tick may be late and collect wakes first, while disruption
 * decides at the same tick.
 */
export const RENOMINATED_BEFORE_MS = 90 * SECOND_MS;

/** Reserves a node for pods that the kube-scheduler has not bound yet. */
export function nomination(node: string, pods: readonly string[], nowMs: number): Action {
  return { kind: 'nominate-node', node, pods, untilMs: nowMs + NOMINATION_MS };
}

/**
 * The nominated nodes. There are none if no pod is pending and no reschedulable pod is on a draining node, so that a
 * node that was filled and became empty again is not kept until the nomination ends. *Source:* B5, B7.
 * @param draining names of the nodes that are being drained
 */
export function promisedNodes(
  nominations: readonly { readonly node: string }[],
  pods: readonly Pod[],
  draining: ReadonlySet<string>,
): readonly string[] {
  if (nominations.length === 0) return [];
  const isAwaited = pods.some((pod) =>
    pod.spec.nodeName === undefined ? isActive(pod) : draining.has(pod.spec.nodeName) && isReschedulable(pod),
  );
  return isAwaited ? [...new Set(nominations.map(({ node }) => node))].toSorted() : [];
}
