import type { Pod } from '../../apis/kubernetes.ts';
import { isActiveWorkload } from '../cluster/pods.ts';
import type { StateNode } from '../cluster/state-node.ts';
import { fingerprint } from '../identity.ts';
import { onceFor } from '../kept-answers.ts';
import type { NodeClaimRecord } from '../model/node-claim-record.ts';

/**
 * Returns the records whose nodes have other pods than at the last run, with the time of the change. No process watches the
 * cluster between two runs, so a change counts from the run that finds it. *Source:* D12.
 */
export function recordsWithPodEvents(stateNodes: readonly StateNode[], nowMs: number): readonly NodeClaimRecord[] {
  return stateNodes.flatMap(({ nodeClaim, pods, initialized }) => {
    if (nodeClaim === undefined || !initialized || nodeClaim.deletion !== undefined) return [];
    const { podsSeen, isEmpty } = seenOf(pods);
    if (nodeClaim.podsSeen === podsSeen) return [];
    // The first run records the pods and no event.
    const event = nodeClaim.podsSeen === undefined && isEmpty ? {} : { lastPodEventAtMs: nowMs };
    return [{ ...nodeClaim, podsSeen, ...event }];
  });
}

/** The pods of most nodes are those of the run before. */
const seenOf = onceFor((pods: readonly Pod[]): { readonly podsSeen: string; readonly isEmpty: boolean } => {
  const uids = pods.filter(isActiveWorkload).map((pod) => pod.metadata.uid ?? '');
  return { podsSeen: fingerprint(uids.toSorted().join(' ')), isEmpty: uids.length === 0 };
});
