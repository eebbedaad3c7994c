import { TERMINATION_FINALIZER } from '../../../apis/labels.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';

/** Whether a NodeClaim object is being deleted and Kerf's finalizer is gone: it exists until other programs remove their finalizers. */
export function isHeldByOthers({ metadata: { deletionTimestamp, finalizers = [] } }: NodeClaim): boolean {
  return deletionTimestamp !== undefined && !finalizers.includes(TERMINATION_FINALIZER);
}
