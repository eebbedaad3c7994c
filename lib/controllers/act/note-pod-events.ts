import { stateNodes } from '../../core/cluster/state-node.ts';
import { recordsWithPodEvents } from '../../core/disruption/pod-events.ts';
import type { ClusterSnapshot } from '../../core/model/cluster-snapshot.ts';
import { StaleRecordError } from '../../ports/errors.ts';
import type { WritesClaims } from '../run/ports.ts';
import { type NotingRun, noteFailure } from './run-notes.ts';

/**
 * Records the time of the last pod event of nodes that have changed: `consolidateAfter` starts there. A node whose record could not
 * be written is not a candidate now, and the next run records the event.
 */
export async function notePodEvents(
  work: NotingRun & { readonly ports: WritesClaims },
  snapshot: ClusterSnapshot,
): Promise<ClusterSnapshot> {
  const { store, clock } = work.ports;
  const changed = recordsWithPodEvents(stateNodes(snapshot), clock.now());
  if (changed.length === 0) return snapshot;
  const written = new Map<string, ClusterSnapshot['nodeClaims'][number]>();
  for (const record of changed) {
    written.set(record.name, record);
    try {
      const write = async () => written.set(record.name, await store.updateNodeClaim(record));
      await noteFailure(work, `NodeClaim ${record.name}`, write);
    } catch (error) {
      // Another run has changed the record.
      if (!(error instanceof StaleRecordError)) throw error;
    }
  }
  return { ...snapshot, nodeClaims: snapshot.nodeClaims.map((record) => written.get(record.name) ?? record) };
}
