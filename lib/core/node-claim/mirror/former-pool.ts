import type { NodeClaim } from '../../../apis/node-claim.ts';
import type { NodePool } from '../../../apis/node-pool.ts';
import type { NodeClaimRecord } from '../../model/node-claim-record.ts';
import type { Observed } from '../../observed.ts';

interface SeenObjects {
  readonly mirrors: Observed<readonly NodeClaim[]>;
  readonly nodePools: Observed<readonly NodePool[]>;
}

/**
 * A1.29: whether the NodePool of a claim was deleted before the claim had an object that Kubernetes deletes with it. A NodePool with
 * the same name and another UID is another one. *Shape:* false for a registered claim: after a restore of the cluster, all NodePools
 * have other UIDs, and false if the objects could not be read.
 */
export function isOfFormerPool(record: NodeClaimRecord, { mirrors, nodePools }: SeenObjects): boolean {
  const { name, nodePool, nodePoolUid, registeredAtMs } = record;
  if (registeredAtMs !== undefined || nodePoolUid === undefined) return false;
  if (mirrors.kind === 'unread' || nodePools.kind === 'unread') return false;
  const exists = nodePools.value.some(({ metadata }) => metadata.name === nodePool && metadata.uid === nodePoolUid);
  return !exists && mirrors.value.every(({ metadata }) => metadata.name !== name);
}
