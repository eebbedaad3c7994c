import type { DriftReason } from '../../../../lib/core/model/node-claim-record.ts';
import type { Fault } from '../../../../lib/simulator/faults/fault.ts';
import type { RuleOf } from '../../rule.ts';

/** The edits of the stories that a node of the former template does not match. */
const CAUSES: Readonly<Partial<Record<DriftReason, Fault['kind']>>> = { NodeClassDrift: 'node-class' };

/** A NodeClaim drifts only if a user changes its NodePool or its class. */
export const driftHasACause: RuleOf = ({ violate, story }) => ({
  recordWritten({ name, drift, launch }) {
    if (drift === undefined) return;
    if (launch.kind !== 'launched') violate('only a launched NodeClaim drifts', `NodeClaim ${name}: ${drift.reason}`);
    const cause = CAUSES[drift.reason];
    if (story.faults.some(({ kind }) => kind === cause)) return;
    violate('a NodeClaim drifts only after a change', `NodeClaim ${name}: ${drift.reason}: ${drift.message}`);
  },
});
