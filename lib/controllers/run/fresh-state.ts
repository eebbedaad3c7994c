import type { Node } from '../../apis/kubernetes.ts';
import { instanceOf, type NodeClaimRecord, providerIdOf } from '../../core/model/node-claim-record.ts';
import { ConflictError } from '../../ports/errors.ts';
import type { ReadsClaims, ReadsCluster } from './ports.ts';

/** What a run saw of the cluster's nodes; one that changed under its hands is put in anew. */
export interface SeenNodes {
  nodes: readonly Node[];
}

/** How often a claim is looked at anew within a run; the next look is near. */
const MAX_TRIES = 3;

/**
 * A node is written by many. Where a write is refused since the node changed, node and record are read again and what is to
 * be done is decided again. *Shape:* undefined where the claim is gone meanwhile. *Errors:* ConflictError where the node
 * changes each time.
 */
export async function onFreshState<Outcome>(
  { cluster, store }: ReadsCluster & ReadsClaims,
  claim: { readonly record: NodeClaimRecord; readonly seen: SeenNodes },
  look: (record: NodeClaimRecord) => Promise<Outcome>,
): Promise<Outcome | undefined> {
  let { record } = claim;
  for (let tries = 1; ; tries += 1) {
    try {
      return await look(record);
    } catch (error) {
      if (!(error instanceof ConflictError) || tries === MAX_TRIES) throw error;
    }
    const fresh = await store.readNodeClaim(record.cluster, record.name);
    if (fresh === undefined || fresh.releasedAtMs !== undefined) return undefined;
    record = fresh;
    await readAgain(cluster, record, claim.seen);
  }
}

async function readAgain(cluster: ReadsCluster['cluster'], record: NodeClaimRecord, seen: SeenNodes): Promise<void> {
  const instance = instanceOf(record);
  const isIts = ({ spec }: Node): boolean => instance !== undefined && spec?.providerID === providerIdOf(instance);
  const before = seen.nodes.find(isIts);
  if (before === undefined) return;
  const after = await cluster.readNode(before.metadata.name);
  seen.nodes = [...seen.nodes.filter((node) => !isIts(node)), ...(after === undefined ? [] : [after])];
}
