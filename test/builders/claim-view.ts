import type { NodeClaimRecord } from '../../lib/core/model/node-claim-record.ts';
import type { ClaimVerdict } from '../../lib/core/node-claim/claim-verdict.ts';
import type { NodeClaimView } from '../../lib/core/node-claim/lifecycle.ts';
import { decideLifecycle } from '../../lib/core/node-claim/lifecycle.ts';
import { launchContext } from './launch-context.ts';
import { NOW_MS } from './times.ts';

/** A claim with a usable NodeClass. If it has an instance, EC2 lists the instance. */
export function viewOf(record: NodeClaimRecord, over: Partial<NodeClaimView> = {}): NodeClaimView {
  return {
    record,
    deleteRequested: false,
    listedAtMs: NOW_MS,
    instanceListed: true,
    instanceLabels: {},
    learnedMemory: [],
    launchContext: launchContext(),
    ...over,
  };
}

/** The list of instances is up to date. */
export function decide(view: NodeClaimView, nowMs: number): ClaimVerdict {
  return decideLifecycle({ ...view, listedAtMs: nowMs }, nowMs);
}

/** The cause of the deletion, if the claim is deleted. */
export function deletionOf(view: NodeClaimView, nowMs: number): string | undefined {
  const [action] = decide(view, nowMs).actions;
  return action?.kind === 'delete-node-claim' ? action.reason : undefined;
}
