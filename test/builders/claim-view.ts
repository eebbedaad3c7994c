import type { NodeClaimRecord } from '../../lib/core/model/node-claim-record.ts';
import type { NodeClaimView } from '../../lib/core/node-claim/lifecycle.ts';
import { decideLifecycle, type LifecycleVerdict } from '../../lib/core/node-claim/lifecycle.ts';
import { launchContext } from './launch-context.ts';
import { NOW_MS } from './times.ts';

/** A claim whose instance, where it has one, is listed, and whose NodeClass can be used. */
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

/** EC2 was asked for its instances just now. */
export function decide(view: NodeClaimView, nowMs: number): LifecycleVerdict {
  return decideLifecycle({ ...view, listedAtMs: nowMs }, nowMs);
}

/** Why the claim is given up, where it is. */
export function deletionOf(view: NodeClaimView, nowMs: number): string | undefined {
  const [action] = decide(view, nowMs).actions;
  return action?.kind === 'delete-node-claim' ? action.reason : undefined;
}
