import type { Action } from '../../core/model/decision.ts';
import { tagged } from '../../core/node-claim/tagging.ts';
import type { Launches, WritesClaims } from '../run/ports.ts';

/** The record is written last: an instance whose tags were not written is tagged again. */
export async function tagInstance(
  { cloud, store }: Launches & WritesClaims,
  cluster: string,
  { nodeClaim, instanceId, tags }: Action & { readonly kind: 'tag-instance' },
): Promise<void> {
  // Read again: the run may have written the record since it listed it.
  const record = await store.readNodeClaim(cluster, nodeClaim);
  if (record === undefined || (record.deletion ?? record.releasedAtMs) !== undefined) return;
  await cloud.tagInstance(cluster, instanceId, tags);
  await store.updateNodeClaim(tagged(record));
}
