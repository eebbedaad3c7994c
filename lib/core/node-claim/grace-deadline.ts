import { parseDuration } from '../../apis/formats/duration.ts';
import type { NodeClaimSpec } from '../../apis/node-claim.ts';

/**
 * D18: the end of the terminationGracePeriod of a claim whose deletion was requested at this time. *Shape:* undefined if it has none. For an
 * object that others delete, this is its deletionTimestamp: a Node and a NodeClaim have no grace period of their own, as a Pod has.
 */
export function graceDeadlineMs(
  { terminationGracePeriod }: Pick<NodeClaimSpec, 'terminationGracePeriod'>,
  requestedAtMs: number,
): number | undefined {
  const graceMs = terminationGracePeriod === undefined ? undefined : parseDuration(terminationGracePeriod);
  return graceMs === undefined ? undefined : requestedAtMs + graceMs;
}
