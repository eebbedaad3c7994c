import { parseNillableDuration } from '../../../apis/formats/duration.ts';
import { refusal } from '../../model/refusal.ts';
import { formatSubject } from '../../model/subject.ts';
import type { Candidate } from '../candidates.ts';
import { isEmptyNode } from '../cost.ts';
import type { Method } from '../method.ts';

/** Nodes with nothing to miss on them are deleted. *Source:* E11–E13, D13. */
export const emptiness: Method = {
  name: 'emptiness',
  reason: 'Empty',
  concerns: isEmptyNode,
  // A5.6: the room is what the node is for.
  whyExcluded: ({ stateNode }, buffered) => {
    const buffer = buffered.get(stateNode.name);
    return buffer === undefined ? undefined : refusal('KeepsBuffer', `it keeps room for ${formatSubject(buffer)}`);
  },
  eligibleAtMs: (candidate) => {
    const after = parseNillableDuration(candidate.nodePool.spec.disruption.consolidateAfter);
    return after === undefined ? undefined : quietSinceMs(candidate) + after;
  },
};

/** D13: since a pod last came or went, or since the node is initialized. */
function quietSinceMs({ nodeClaim }: Candidate): number {
  return Math.max(nodeClaim.lastPodEventAtMs ?? 0, nodeClaim.initializedAtMs ?? nodeClaim.createdAtMs);
}
