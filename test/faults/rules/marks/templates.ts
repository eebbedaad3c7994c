import type { Labels } from '../../../../lib/apis/kubernetes.ts';
import { sameContent } from '../../../../lib/core/canonical-json.ts';
import { EDITED_LABEL } from '../../../../lib/simulator/faults/world-faults.ts';
import type { RuleOf } from '../../rule.ts';

const FIELDS = ['nodeClassRef', 'taints', 'startupTaints', 'expireAfter', 'terminationGracePeriod'] as const;

const RULE = 'a NodeClaim follows its NodePool';

/** A new NodeClaim has what the template of its NodePool says, with its labels and annotations. */
export const claimsFollowTheirNodePool: RuleOf = ({ violate, simulation }) => ({
  recordWritten(after, before) {
    const pool = simulation().state.nodePools.get(after.nodePool);
    if (before !== undefined || after.launch.kind !== 'planned' || pool === undefined) return;
    const wanted = pool.spec.template.spec;
    for (const field of FIELDS)
      if (!sameContent(after.spec[field] ?? null, wanted[field] ?? null))
        violate(RULE, `${after.name}: ${field} is ${JSON.stringify(after.spec[field])}`);
    const { labels, annotations } = pool.spec.template.metadata ?? {};
    for (const key of [...missing(labels, after.labels), ...missing(annotations, after.annotations)])
      violate(RULE, `${after.name} does not have ${key} of the template`);
  },
});

function missing(wanted: Labels = {}, has: Labels = {}): readonly string[] {
  // A decision may be carried out after the template was edited. The NodeClaim drifts then.
  return Object.keys(wanted).filter((key) => key !== EDITED_LABEL && has[key] !== wanted[key]);
}
