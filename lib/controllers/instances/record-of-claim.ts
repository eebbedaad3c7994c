import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { UnreadableError } from '../../ports/errors.ts';
import type { ClaimReader } from '../../ports/node-claim-store.ts';

/** The record of the claim, or why it cannot be read, so that one item of the table does not end the work on other claims. */
export async function recordOfClaim(
  store: Pick<ClaimReader, 'readNodeClaim'>,
  cluster: string,
  name: string,
): Promise<NodeClaimRecord | UnreadableError | undefined> {
  try {
    return await store.readNodeClaim(cluster, name);
  } catch (error) {
    if (error instanceof UnreadableError) return error;
    throw error;
  }
}
