import { isActive, isOwnedByDaemonSet } from '../cluster/pods.ts';
import type { StateNode } from '../cluster/state-node.ts';
import { fingerprint } from '../identity.ts';
import type { NodeClaimRecord } from '../model/node-claim-record.ts';

/**
 * Returns the records whose nodes have other pods than at the last run, with the time of the change. No process watches the
 * cluster between two runs, so a change counts from the run that finds it. *Source:* D12.
 */
export function recordsWithPodEvents(stateNodes: readonly StateNode[], nowMs: number): readonly NodeClaimRecord[] {
  return stateNodes.flatMap(({ nodeClaim, pods, initialized }) => {
    if (nodeClaim === undefined || !initialized || nodeClaim.deletion !== undefined) return [];
    const uids = pods.filter((pod) => isActive(pod) && !isOwnedByDaemonSet(pod)).map((pod) => pod.metadata.uid ?? '');
    const podsSeen = fingerprint(uids.toSorted().join(' '));
    if (nodeClaim.podsSeen === podsSeen) return [];
    // The first run records the pods and no event.
    const event = nodeClaim.podsSeen === undefined && uids.length === 0 ? {} : { lastPodEventAtMs: nowMs };
    return [{ ...nodeClaim, podsSeen, ...event }];
  });
}
