import type { NodeClaim } from '../../../apis/node-claim.ts';
import { conditionsFrom } from '../../model/conditions.ts';
import type { ObjectPatch } from '../../model/object-patch.ts';

const REASON = 'StandaloneNotSupported';
const MESSAGE =
  'Kerf launches the NodeClaims that it makes for NodePools, and none that others write: create a NodePool, and delete this';

/**
 * A2.2: what a NodeClaim is told that somebody wrote by hand. *Shape:* undefined where it says so already, is going, or has
 * an instance: then it is another program's.
 */
export function decideStandalone(nodeClaim: NodeClaim, nowMs: number): ObjectPatch<NodeClaim['status']> | undefined {
  const { metadata, status } = nodeClaim;
  if (metadata.deletionTimestamp !== undefined || status?.providerID !== undefined) return undefined;
  const before = status?.conditions ?? [];
  const findings = ['Launched', 'Ready'].map(
    (type) => ({ type, status: 'False', reason: REASON, message: MESSAGE }) as const,
  );
  const conditions = conditionsFrom(findings, { conditions: before, generation: metadata.generation }, nowMs);
  return conditions === before ? undefined : { status: { ...status, conditions } };
}
