import type { NodeClaim } from '../../../apis/node-claim.ts';
import { conditionsFrom } from '../../model/conditions.ts';
import type { ObjectPatch } from '../../model/object-patch.ts';

const REASON = 'StandaloneNotSupported';
const MESSAGE = 'standalone NodeClaims are not managed: create a NodePool instead, and delete this NodeClaim';

/**
 * A2.2: the conditions of a standalone NodeClaim. *Shape:* undefined if it has them already, if it is being deleted, or if it
 * has an instance, because then another program manages it.
 */
export function decideStandalone(nodeClaim: NodeClaim, nowMs: number): ObjectPatch<NodeClaim['status']> | undefined {
  const { metadata, status } = nodeClaim;
  if (metadata.deletionTimestamp !== undefined || status?.providerID !== undefined) return undefined;
  const before = status?.conditions ?? [];
  const findings = (['Launched', 'Ready'] as const).map(
    (type) => ({ type, status: 'False', reason: REASON, message: MESSAGE }) as const,
  );
  const conditions = conditionsFrom(findings, { conditions: before, generation: metadata.generation }, nowMs);
  return conditions === before ? undefined : { status: { ...status, conditions } };
}
