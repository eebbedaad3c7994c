import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { RefusedError, UnreadableError } from '../../ports/errors.ts';
import { isNewFailure } from '../act/is-new-refusal.ts';
import { unlessRefused } from '../act/refused-leases.ts';
import type { CoalescedWake } from '../run/coalesce-wakes.ts';
import type { HasClock, ReadsClaims, RemembersRefusals } from '../run/ports.ts';

export interface FoundClaims {
  readonly records: readonly NodeClaimRecord[];
  /** The record of the claim that the wake names cannot be read, and this was not reported before. */
  readonly failures: readonly Error[];
}

/**
 * The claim that the wake names, or every claim of the cluster. Released claims are left out. A wake for a record that can never be
 * read is answered: its repetition would not change the record, and each tick reads the record again.
 */
export async function findClaims(
  ports: ReadsClaims & HasClock & RemembersRefusals,
  { cluster, nodeClaim, claims }: CoalescedWake,
): Promise<FoundClaims> {
  const { store } = ports;
  if (nodeClaim === undefined) return { records: await (claims ?? store.listNodeClaims(cluster)), failures: [] };
  const refusals: RefusedError[] = [];
  const record = await unlessRefused(refusals, store.readNodeClaim(cluster, nodeClaim));
  const [refusal] = refusals;
  if (refusal !== undefined) {
    const isNew = isNewFailure(ports, `${cluster}: read ${nodeClaim}`, refusal.message);
    return { records: [], failures: isNew ? [ofClaim(refusal, nodeClaim)] : [] };
  }
  if (record === undefined || record.releasedAtMs !== undefined) return { records: [], failures: [] };
  // The claims of a group are reconciled together, because they share one request.
  const isOfGroup = record.launch.kind === 'requested' && record.launch.request.members !== undefined;
  return { records: isOfGroup ? await store.listNodeClaims(cluster) : [record], failures: [] };
}

/** The error of an unreadable record names its claim. */
function ofClaim(refusal: RefusedError, nodeClaim: string): RefusedError {
  if (refusal instanceof UnreadableError) return refusal;
  return new RefusedError(`read the record of NodeClaim ${nodeClaim}: ${refusal.message}`, { cause: refusal });
}
