import type { NodeClaim } from '../../apis/node-claim.ts';
import { type Instance, instanceIdOf, type NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { instanceOfNodeClaim } from '../../core/node-claim/adoption/claim-object.ts';
import { mapRead, type Observed, read } from '../../core/observed.ts';
import { nodeClaimNamed } from '../observe/find-observed.ts';

/**
 * The instance in the status of the NodeClaim object, for a record without a launch. Others can write the status too, so an instance of
 * another claim does not count.
 */
export function shownInstance(
  { name, launch }: NodeClaimRecord,
  { mirrors, claimed }: { readonly mirrors: Observed<readonly NodeClaim[]>; readonly claimed: ReadonlySet<string> },
): Observed<Instance | undefined> {
  if (launch.kind === 'launched') return read(undefined);
  return mapRead(mirrors, (nodeClaims) => {
    const mirror = nodeClaimNamed(nodeClaims, name);
    const id = instanceIdOf(mirror?.status?.providerID ?? '');
    return mirror === undefined || id === undefined || claimed.has(id) ? undefined : instanceOfNodeClaim(mirror);
  });
}
