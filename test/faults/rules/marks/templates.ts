import type { Labels } from '../../../../lib/apis/kubernetes.ts';
import { sameContent } from '../../../../lib/core/canonical-json.ts';
import type { NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import { EDITED_LABEL } from '../../../../lib/simulator/faults/world-faults.ts';
import type { RuleOf } from '../../rule.ts';

const FIELDS = ['nodeClassRef', 'taints', 'startupTaints', 'expireAfter', 'terminationGracePeriod'] as const;

const RULE = 'a NodeClaim follows its NodePool';

/** A new NodeClaim has what the template of its NodePool says, with its labels and annotations. */
export const claimsFollowTheirNodePool: RuleOf = ({ violate, simulation }) => ({
  recordWritten(after, before) {
    const pool = simulation().state.nodePools.get(after.nodePool);
    if (before !== undefined || after.launch.kind !== 'planned' || pool === undefined) return;
    for (const why of specDifferences(after, pool.spec.template.spec)) violate(RULE, why);
    const { labels, annotations } = pool.spec.template.metadata ?? {};
    for (const key of [...missing(labels, after.labels), ...missing(annotations, after.annotations)])
      violate(RULE, `${after.name} does not have ${key} of the template`);
  },
});

/** Where the spec of the NodeClaim is not what it was made from. */
export function specDifferences(
  { name, spec }: NodeClaimRecord,
  wanted: Pick<NodeClaimRecord['spec'], (typeof FIELDS)[number]>,
): readonly string[] {
  return FIELDS.filter((field) => !sameContent(spec[field] ?? null, wanted[field] ?? null)).map(
    (field) => `NodeClaim ${name}: ${field} is ${JSON.stringify(spec[field])}`,
  );
}

function missing(wanted: Labels = {}, has: Labels = {}): readonly string[] {
  // A decision may be carried out after the template was edited. The NodeClaim drifts then.
  return Object.keys(wanted).filter((key) => key !== EDITED_LABEL && has[key] !== wanted[key]);
}
