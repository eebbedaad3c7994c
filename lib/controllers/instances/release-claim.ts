import type { Action } from '../../core/model/decision.ts';
import type { SendsWakes, WritesClaims, WritesCluster } from '../run/ports.ts';
import { type LostWakes, sendWakes } from '../run/wake-up.ts';

type ReleaseNodeClaim = Action & { readonly kind: 'release-node-claim' };

/**
 * Removes node, mirror and record in this order, and stops at the first failure: only a record that is not released leads the
 * next run to what is left.
 */
export async function releaseNodeClaim(
  ports: WritesCluster & WritesClaims & SendsWakes,
  cluster: string,
  action: ReleaseNodeClaim,
): Promise<LostWakes> {
  if (action.node !== undefined) {
    await ports.cluster.patchNode(action.node, { finalizers: action.finalizers ?? [] });
    await ports.cluster.deleteNode(action.node.name);
  }
  await ports.cluster.removeNodeClaim(action.nodeClaim);
  const record = await ports.store.readNodeClaim(cluster, action.nodeClaim);
  if (record === undefined || record.releasedAtMs !== undefined) return [];
  await ports.store.updateNodeClaim({ ...record, releasedAtMs: action.atMs });
  // The claim no longer counts towards the limits and the disruption budgets of its NodePool.
  const wake = { cluster, reason: 'released' } as const;
  return sendWakes(ports, [
    ['provisioning', wake],
    ['disruption', wake],
  ]);
}
