import { SECOND_MS } from '../../../../lib/apis/formats/time.ts';
import { NODE_POOL_HASH } from '../../../../lib/apis/labels.ts';
import type { DriftReason, NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import type { Fault } from '../../../../lib/simulator/faults/fault.ts';
import { EDITED_LABEL } from '../../../../lib/simulator/faults/world-faults.ts';
import type { RuleOf, Watched } from '../../rule.ts';
import { LIFECYCLE, progressOf } from '../progress/duty.ts';

/** The edits of the stories that a node of the former template does not match. */
const CAUSES: Readonly<Partial<Record<DriftReason, (fault: Fault) => boolean>>> = {
  NodeClassDrift: ({ kind }) => kind === 'node-class',
  NodePoolDrifted: (fault) => fault.kind === 'node-pool' && fault.change === 'template',
};

/** A NodeClaim drifts only if a user changes its NodePool or its class. */
export const driftHasACause: RuleOf = ({ violate, story }) => ({
  recordWritten({ name, drift, launch }) {
    if (drift === undefined) return;
    if (launch.kind !== 'launched') violate('only a launched NodeClaim drifts', `NodeClaim ${name}: ${drift.reason}`);
    const isCause = CAUSES[drift.reason];
    if (isCause !== undefined && story.faults.some(isCause)) return;
    violate('a NodeClaim drifts only after a change', `NodeClaim ${name}: ${drift.reason}: ${drift.message}`);
  },
});

/** Whether the template of the NodePool was edited since. A record that was made from a Node alone has no hash to compare. */
export function isOfFormerTemplate(
  { simulation }: Watched,
  { nodePool, labels, annotations }: NodeClaimRecord,
): boolean {
  const pool = simulation().state.nodePools.get(nodePool);
  if (pool === undefined || pool.metadata.deletionTimestamp !== undefined) return false;
  if (annotations[NODE_POOL_HASH] === undefined) return false;
  return labels[EDITED_LABEL] !== pool.spec.template.metadata?.labels?.[EDITED_LABEL];
}

/** The webhook wakes lifecycle, or the next tick does. */
const DRIFTS_MS = 75 * SECOND_MS;

/** A launched NodeClaim drifts soon after the template of its NodePool was edited (D34). */
export const editsCauseDrift: RuleOf = (watched) =>
  progressOf(watched, () =>
    [...watched.records.values()]
      .filter(({ launch, drift }) => launch.kind === 'launched' && drift === undefined)
      .filter(({ deletion, releasedAtMs }) => (deletion ?? releasedAtMs) === undefined)
      .filter((record) => isOfFormerTemplate(watched, record))
      .map(({ name }) => ({
        name: `NodeClaim ${name} drifts`,
        withinMs: DRIFTS_MS,
        needs: [...LIFECYCLE, 'cluster.'],
      })),
  );
