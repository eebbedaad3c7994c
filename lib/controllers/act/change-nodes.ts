import type { Action } from '../../core/model/decision.ts';
import type { SendsWakes, WritesClaims, WritesCluster } from '../run/ports.ts';
import { type LostWakes, sendWakes } from '../run/wake-up.ts';

/** E34: the candidates of a command are deleted when their replacements are initialized. */
export async function initializeNode(
  ports: WritesCluster & SendsWakes,
  cluster: string,
  { node, patch, nodeClaim, replaces }: Action & { readonly kind: 'initialize-node' },
): Promise<LostWakes> {
  await ports.cluster.patchNode(node, patch);
  return replaces === true ? sendWakes(ports, [['disruption', { cluster, reason: 'initialized', nodeClaim }]]) : [];
}

/** The record is read again, because the NodeClaim may have been deleted and its node cordoned since the decision was made. */
export async function uncordonNode(
  ports: WritesCluster & WritesClaims,
  cluster: string,
  { node, patch, nodeClaim }: Action & { readonly kind: 'uncordon-node' },
): Promise<void> {
  const record = await ports.store.readNodeClaim(cluster, nodeClaim);
  if (record === undefined || (record.deletion ?? record.releasedAtMs) !== undefined) return;
  await ports.cluster.patchNode(node, patch);
}
