import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import type { Wake } from '../../ports/messages.ts';
import type { ReadsClaims } from '../run/ports.ts';

/** The claim that the wake names, or every claim of the cluster. Released claims are left out. */
export async function findClaims(ports: ReadsClaims, wake: Wake): Promise<readonly NodeClaimRecord[]> {
  if (wake.nodeClaim === undefined) return ports.store.listNodeClaims(wake.cluster);
  const record = await ports.store.readNodeClaim(wake.cluster, wake.nodeClaim);
  return record === undefined || record.releasedAtMs !== undefined ? [] : [record];
}
