import { sameContent } from '../../../../lib/core/canonical-json.ts';
import type { RuleOf } from '../../rule.ts';

const FIELDS = ['nodeClassRef', 'taints', 'startupTaints', 'expireAfter', 'terminationGracePeriod'] as const;

/** A new NodeClaim has what the template of its NodePool says. */
export const claimsFollowTheirNodePool: RuleOf = ({ violate, simulation }) => ({
  recordWritten(after, before) {
    const pool = simulation().state.nodePools.get(after.nodePool);
    if (before !== undefined || after.launch.kind !== 'planned' || pool === undefined) return;
    const wanted = pool.spec.template.spec;
    for (const field of FIELDS)
      if (!sameContent(after.spec[field] ?? null, wanted[field] ?? null))
        violate('a NodeClaim follows its NodePool', `${after.name}: ${field} is ${JSON.stringify(after.spec[field])}`);
  },
});
