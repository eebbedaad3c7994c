import { parseNillableDuration } from '../../apis/formats/duration.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import type { NodeClaimRecord } from '../model/node-claim-record.ts';
import { quietSinceMs } from '../node-claim/quiet-since.ts';

/** The time from which a node may be consolidated; undefined if its NodePool sets `consolidateAfter: Never`. *Source:* E12, D13. */
export function consolidatableAtMs(one: {
  readonly nodePool: NodePool;
  readonly nodeClaim: NodeClaimRecord;
}): number | undefined {
  const after = parseNillableDuration(one.nodePool.spec.disruption.consolidateAfter);
  return after === undefined ? undefined : quietSinceMs(one.nodeClaim) + after;
}
