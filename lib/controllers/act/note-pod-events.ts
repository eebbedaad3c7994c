import { stateNodes } from '../../core/cluster/state-node.ts';
import { recordsWithPodEvents } from '../../core/disruption/pod-events.ts';
import type { ClusterSnapshot } from '../../core/model/cluster-snapshot.ts';
import { eachClaim } from '../run/each-claim.ts';
import type { WritesClaims } from '../run/ports.ts';
import { type NotingRun, notReported } from './run-notes.ts';

/**
 * Records the time of the last pod event of nodes that have changed: `consolidateAfter` starts there. A node whose record could not
 * be written, or had no turn, is not a candidate now, and the next run records the event.
 */
export async function notePodEvents(
  work: NotingRun & { readonly ports: WritesClaims },
  snapshot: ClusterSnapshot,
): Promise<ClusterSnapshot> {
  const { store, clock } = work.ports;
  const changed = recordsWithPodEvents(stateNodes(snapshot), clock.now());
  if (changed.length === 0) return snapshot;
  const known = new Map(changed.map((record) => [record.name, record]));
  // A record that another run has changed has no failure.
  const { due, failures } = await eachClaim(changed, work.ports, async (record) => {
    known.set(record.name, await store.updateNodeClaim(record));
    return [];
  });
  work.notes.due.push(...due);
  work.notes.failures.push(...notReported(work, failures));
  return { ...snapshot, nodeClaims: snapshot.nodeClaims.map((record) => known.get(record.name) ?? record) };
}
