import type { Action } from '../../core/model/decision.ts';
import { failedRelease } from '../../core/node-claim/terminate.ts';
import { isConflict, portErrorOf } from '../../ports/errors.ts';
import type { SendsWakes, WritesClaims, WritesCluster } from '../run/ports.ts';
import { type LostWakes, sendWakes } from '../run/wake-up.ts';

type ReleaseNodeClaim = Action & { readonly kind: 'release-node-claim' };

/**
 * Removes node, mirror and record in this order, and stops at the first failure: only a record that is not released leads the
 * next run to what is left. The record keeps why the objects could not be removed.
 */
export async function releaseNodeClaim(
  ports: WritesCluster & WritesClaims & SendsWakes,
  cluster: string,
  action: ReleaseNodeClaim,
): Promise<LostWakes> {
  try {
    await removeObjects(ports, action);
  } catch (error) {
    const failure = portErrorOf(error);
    if (!isConflict(failure)) await recordFailure(ports, cluster, { action, failure });
    throw error;
  }
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

async function removeObjects(
  { cluster }: WritesCluster,
  { nodeClaim, node, finalizers = [] }: ReleaseNodeClaim,
): Promise<void> {
  if (node !== undefined) {
    await cluster.patchNode(node, { finalizers });
    await cluster.deleteNode(node.name);
  }
  await cluster.removeNodeClaim(nodeClaim);
}

async function recordFailure(
  { store }: WritesClaims,
  cluster: string,
  { action, failure }: { readonly action: ReleaseNodeClaim; readonly failure: Error },
): Promise<void> {
  const record = await store.readNodeClaim(cluster, action.nodeClaim);
  const refused = record && failedRelease(record, failure.message, action.atMs);
  if (refused !== undefined) await store.updateNodeClaim(refused);
}
