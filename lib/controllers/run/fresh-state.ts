import type { Node } from '../../apis/kubernetes.ts';
import { instanceOf, type NodeClaimRecord, providerIdOf } from '../../core/model/node-claim-record.ts';
import { nodeOfClaim } from '../../core/node-claim/registration.ts';
import { mapRead, type Observed, readOr } from '../../core/observed.ts';
import { ConflictError } from '../../ports/errors.ts';
import type { ReadsClaims, ReadsCluster } from './ports.ts';

/** The nodes that a run has read. A node that changed is replaced by its current state. */
export interface SeenNodes {
  nodes: Observed<readonly Node[]>;
}

/** How often a run reconciles one claim. A repetition after conflicts tries less often, and begins a second later or more. */
const MAX_TRIES = 3;

/**
 * Reconciles a claim. If a write fails because the node has changed, node and record are read again, and the claim is
 * reconciled again. *Shape:* undefined if the claim was released meanwhile. *Errors:* ConflictError if the node changes each
 * time.
 */
export async function onFreshState<Outcome>(
  { cluster, store }: ReadsCluster & ReadsClaims,
  claim: {
    readonly record: NodeClaimRecord;
    readonly seen: SeenNodes;
    /** As in the wake of the run. @default none */
    readonly conflicts?: number | undefined;
  },
  reconcile: (record: NodeClaimRecord) => Promise<Outcome>,
): Promise<Outcome | undefined> {
  let { record } = claim;
  const maxTries = Math.max(1, MAX_TRIES - (claim.conflicts ?? 0));
  for (let tries = 1; ; tries += 1) {
    try {
      return await reconcile(record);
    } catch (error) {
      if (!(error instanceof ConflictError) || tries === maxTries) throw error;
    }
    const fresh = await store.readNodeClaim(record.cluster, record.name);
    if (fresh === undefined || fresh.releasedAtMs !== undefined) return undefined;
    record = fresh;
    await readAgain(cluster, record, claim.seen);
  }
}

/** *Cost:* one read. *Errors:* ConflictError if the record has changed since it was read. */
export async function expectUnchanged(
  { store }: ReadsClaims,
  { cluster, name, version }: NodeClaimRecord,
): Promise<void> {
  const current = await store.readNodeClaim(cluster, name);
  if (current?.version !== version) throw new ConflictError(`NodeClaim ${name} has changed since it was read`);
}

/** The node of the record. The list may be older than the record, and not have the node yet. */
async function readAgain(cluster: ReadsCluster['cluster'], record: NodeClaimRecord, seen: SeenNodes): Promise<void> {
  const instance = instanceOf(record);
  const isIts = ({ spec }: Node): boolean => instance !== undefined && spec?.providerID === providerIdOf(instance);
  const name = nodeOfClaim(readOr(seen.nodes, []), record)?.metadata.name ?? record.nodeName;
  if (name === undefined) return;
  const after = await cluster.readNode(name);
  seen.nodes = mapRead(seen.nodes, (nodes) => [
    ...nodes.filter((node) => !isIts(node) || node.metadata.name !== name),
    ...(after !== undefined && isIts(after) ? [after] : []),
  ]);
}
