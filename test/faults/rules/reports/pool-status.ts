import { SECOND_MS } from '../../../../lib/apis/formats/time.ts';
import type { NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import type { RuleOf } from '../../rule.ts';
import { LIFECYCLE, progressOf } from '../progress/duty.ts';

/** The next tick shows a change. */
const SHOWN_WITHIN_MS = 75 * SECOND_MS;

/** The status of a NodePool has the number of its nodes, without those that are being removed (A1.22). */
export const poolsShowTheirNodes: RuleOf = (watched) =>
  progressOf(watched, () =>
    [...watched.simulation().state.nodePools.values()].flatMap(({ metadata, status }) => {
      const records = [...watched.records.values()].filter((one) => isCounted(one) && one.nodePool === metadata.name);
      if (metadata.deletionTimestamp !== undefined || status?.nodes === records.length) return [];
      const name = `NodePool ${metadata.name} shows its ${records.length} nodes`;
      return [{ name, withinMs: SHOWN_WITHIN_MS, needs: [...LIFECYCLE, 'cluster.patchNodePool'] }];
    }),
  );

function isCounted({ launch, deletion, releasedAtMs }: NodeClaimRecord): boolean {
  return launch.kind === 'launched' && (deletion ?? releasedAtMs) === undefined;
}
