import { POLL_MS } from '../model/decision.ts';
import type { NodeClaimRecord } from '../model/node-claim-record.ts';

/**
 * D13: since when the node may have the same pods: the last multiple of five seconds before the time of the last pod event, or else the time
 * of the initialization. Most pod events are found by a tick. A `consolidateAfter` of whole minutes then ends just before a later tick, which
 * needs no other run; the event itself was up to a minute before the tick that found it.
 */
export function quietSinceMs({
  lastPodEventAtMs = 0,
  initializedAtMs,
  createdAtMs,
}: Pick<NodeClaimRecord, 'lastPodEventAtMs' | 'initializedAtMs' | 'createdAtMs'>): number {
  return Math.max(Math.floor(lastPodEventAtMs / POLL_MS) * POLL_MS, initializedAtMs ?? createdAtMs);
}
