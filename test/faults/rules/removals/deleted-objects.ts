import { SECOND_MS } from '../../../../lib/apis/formats/time.ts';
import { TERMINATION_FINALIZER } from '../../../../lib/apis/labels.ts';
import type { NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import type { RuleOf, Watched } from '../../rule.ts';
import { nodeOf } from '../nodes.ts';
import { type Duty, LIFECYCLE, progressOf } from '../progress/duty.ts';

/** The next tick finds a deletion whose wake was lost. */
const RECORDED_WITHIN_MS = 75 * SECOND_MS;

/** Several deletions at the same moment are one wake. */
const WOKEN_WITHIN_MS = 12 * SECOND_MS;

/** A NodeClaim or Node that a user deletes is removed: its deletion is recorded (D17). */
export const deletedObjectsAreRemoved: RuleOf = (watched) =>
  progressOf(watched, () => [...watched.records.values()].flatMap((record) => dutiesOf(watched, record)));

function dutiesOf(watched: Watched, record: NodeClaimRecord): readonly Duty[] {
  if ((record.releasedAtMs ?? record.deletion) !== undefined || record.launch.kind === 'requested') return [];
  const { state } = watched.simulation();
  const node = nodeOf(watched, record)?.metadata;
  const isKept = node?.finalizers?.includes(TERMINATION_FINALIZER) === true && record.registeredAtMs !== undefined;
  const deleted = [
    ...(state.nodeClaims.get(record.name)?.metadata.deletionTimestamp === undefined
      ? []
      : [`NodeClaim ${record.name}`]),
    ...(isKept && node.deletionTimestamp !== undefined ? [`node ${node.name}`] : []),
  ];
  return deleted.flatMap((what) => {
    const name = `the deletion of ${what} is recorded`;
    return [
      { name: `${name} by the next tick`, withinMs: RECORDED_WITHIN_MS, needs: LIFECYCLE },
      { name: `${name} at once`, withinMs: WOKEN_WITHIN_MS, needs: [...LIFECYCLE, 'webhook', 'messages.wake'] },
    ];
  });
}
