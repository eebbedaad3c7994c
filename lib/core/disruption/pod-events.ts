import { isActive, isOwnedByDaemonSet } from '../cluster/pods.ts';
import type { StateNode } from '../cluster/state-node.ts';
import { fingerprint } from '../identity.ts';
import type { NodeClaimRecord } from '../model/node-claim-record.ts';

/**
 * The records whose nodes have other pods than when they were last looked at, with that noted. Nothing watches the
 * cluster between two runs, so a change counts from the moment it is seen. *Source:* D12.
 */
export function recordsWithPodEvents(stateNodes: readonly StateNode[], nowMs: number): readonly NodeClaimRecord[] {
  return stateNodes.flatMap(({ nodeClaim, pods, initialized }) => {
    if (nodeClaim === undefined || !initialized || nodeClaim.deletion !== undefined) return [];
    const uids = pods.filter((pod) => isActive(pod) && !isOwnedByDaemonSet(pod)).map((pod) => pod.metadata.uid ?? '');
    const podsSeen = fingerprint(uids.toSorted().join(' '));
    if (nodeClaim.podsSeen === podsSeen) return [];
    // The first look finds no event, only a beginning.
    const event = nodeClaim.podsSeen === undefined && uids.length === 0 ? {} : { lastPodEventAtMs: nowMs };
    return [{ ...nodeClaim, podsSeen, ...event }];
  });
}
