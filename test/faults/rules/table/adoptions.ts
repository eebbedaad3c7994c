import { parseTime, SECOND_MS } from '../../../../lib/apis/formats/time.ts';
import { sameContent } from '../../../../lib/core/canonical-json.ts';
import type { RuleOf } from '../../rule.ts';

const FIELDS = ['nodeClassRef', 'taints', 'startupTaints', 'expireAfter', 'terminationGracePeriod'] as const;

/** An adopted NodeClaim, whose record was lost, has the age and the spec of its object: its node expires as before (D32). */
export const adoptedClaimsAreKept: RuleOf = ({ violate, simulation }) => ({
  recordWritten(after, before) {
    const { name, launch, createdAtMs, spec } = after;
    const object = simulation().state.nodeClaims.get(name);
    if (before !== undefined || launch.kind !== 'launched' || object === undefined) return;
    const { creationTimestamp } = object.metadata;
    if (creationTimestamp !== undefined && Math.abs(createdAtMs - parseTime(creationTimestamp)) > SECOND_MS)
      violate(RULE, `NodeClaim ${name}, created at ${creationTimestamp}, is recorded with another time`);
    for (const field of FIELDS)
      if (!sameContent(spec[field] ?? null, object.spec[field] ?? null))
        violate(RULE, `NodeClaim ${name}: ${field} is ${JSON.stringify(spec[field])}`);
  },
});

const RULE = 'an adopted NodeClaim is as its object says';
