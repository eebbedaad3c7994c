import type { Pod } from '../../apis/kubernetes.ts';
import { MINUTE_MS } from '../../apis/time.ts';
import type { Action } from '../action.ts';
import { isActive, isReschedulable } from './pods.ts';

/** B5: until two more ticks have had a look; Karpenter looks every 10 s and promises for 20. */
const NOMINATION_MS = 2 * MINUTE_MS;

/** Promises a node to pods that the kube-scheduler has yet to bind. */
export function nomination(node: string, pods: readonly string[], nowMs: number): Action {
  return { kind: 'nominate-node', node, pods, untilMs: nowMs + NOMINATION_MS };
}

/**
 * The nodes that are still promised: none where no pod waits to be bound or has to leave its node, for then every promise is
 * kept, or moot. Nodes that were just filled and emptied again need not outlast it. *Source:* B5, B7.
 * @param going names of the nodes that are being drained
 */
export function promisedNodes(
  nominations: readonly { readonly node: string }[],
  pods: readonly Pod[],
  going: ReadonlySet<string>,
): readonly string[] {
  const isAwaited = pods.some((pod) =>
    pod.spec.nodeName === undefined ? isActive(pod) : going.has(pod.spec.nodeName) && isReschedulable(pod),
  );
  return isAwaited ? [...new Set(nominations.map(({ node }) => node))].toSorted() : [];
}
