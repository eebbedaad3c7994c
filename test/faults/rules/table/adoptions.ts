import { parseTime, SECOND_MS } from '../../../../lib/apis/formats/time.ts';
import type { RuleOf } from '../../rule.ts';
import { specDifferences } from '../marks/templates.ts';

const RULE = 'an adopted NodeClaim is as its object says';

/** An adopted NodeClaim, whose record was lost, has the age and the spec of its object: its node expires as before (D32). */
export const adoptedClaimsAreKept: RuleOf = ({ violate, simulation }) => ({
  recordWritten(after, before) {
    const { name, launch, createdAtMs } = after;
    const object = simulation().state.nodeClaims.get(name);
    if (before !== undefined || launch.kind !== 'launched' || object === undefined) return;
    const { creationTimestamp } = object.metadata;
    if (creationTimestamp !== undefined && Math.abs(createdAtMs - parseTime(creationTimestamp)) > SECOND_MS)
      violate(RULE, `NodeClaim ${name}, created at ${creationTimestamp}, is recorded with another time`);
    for (const why of specDifferences(after, object.spec)) violate(RULE, why);
  },
});
