import { keepsMovesMs } from '../../core/disruption/restraint/move-limits.ts';
import type { ClusterSnapshot } from '../../core/model/cluster-snapshot.ts';
import type { PassMemory } from '../../core/model/disruption/pass-memory.ts';
import { readOr } from '../../core/observed.ts';
import type { NodeClaimStore, PassMemoryStore } from '../../ports/node-claim-store.ts';
import { type Readings, refusalsOfUnread } from '../observe/readings.ts';
import type { HasClock } from '../run/ports.ts';

/** *Shape:* undefined if it cannot be read: nodes are evaluated as if it were empty. */
export async function readPassMemory(
  { store }: { readonly store: PassMemoryStore },
  cluster: string,
  log: Readings,
): Promise<PassMemory | undefined> {
  return readOr(await log.observe('the memory of passes', async () => store.readPassMemory(cluster)), undefined);
}

/**
 * Adds what consolidation has moved. Disruption waits if it cannot be read. *Cost:* one query if a NodePool limits moves, else
 * nothing.
 */
export async function withPastMoves(
  ports: HasClock & { readonly store: Pick<NodeClaimStore, 'listMoves'> },
  snapshot: ClusterSnapshot,
  log: Readings,
): Promise<ClusterSnapshot> {
  const { cluster, nodePools, ignoredObjects = [] } = snapshot;
  if (keepsMovesMs(nodePools.map(({ nodePool }) => nodePool)) === undefined) return snapshot;
  const moves = await log.observe('past moves', async () => ports.store.listMoves(cluster, ports.clock.now()));
  const unread = refusalsOfUnread(cluster, [moves], 'NotRead');
  return { ...snapshot, pastMoves: readOr(moves, []), ignoredObjects: [...ignoredObjects, ...unread] };
}
