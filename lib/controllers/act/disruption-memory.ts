import { optional } from '../../apis/optional.ts';
import { keepsMovesMs } from '../../core/disruption/restraint/move-limits.ts';
import type { ClusterSnapshot } from '../../core/model/cluster-snapshot.ts';
import { readOr } from '../../core/observed.ts';
import type { NodeClaimStore, PassMemoryStore } from '../../ports/node-claim-store.ts';
import { type Readings, refusalsOfUnread } from '../observe/readings.ts';
import type { HasClock } from '../run/ports.ts';

/** If it cannot be read, nodes are evaluated as if it were empty. */
export async function withPassMemory(
  { store }: { readonly store: PassMemoryStore },
  log: Readings,
  snapshot: ClusterSnapshot,
): Promise<ClusterSnapshot> {
  const passMemory = await log.observe('the memory of passes', async () => store.readPassMemory(snapshot.cluster));
  return { ...snapshot, ...optional({ passMemory: readOr(passMemory, undefined) }) };
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
