import type { ClusterSnapshot } from '../../core/model/cluster-snapshot.ts';
import type { Decision } from '../../core/model/decision.ts';
import { readOr } from '../../core/observed.ts';
import { isActiveBuffer } from '../../core/provisioning/buffer-pods.ts';
import { decideBuffer } from '../../core/provisioning/buffer-status.ts';
import type { Readings } from '../observe/readings.ts';
import type { HasClock, HasSettings, ReadsCluster, WritesStatus } from '../run/ports.ts';
import { syncObjects } from './sync-object-status.ts';

/** A5.7: writes to each CapacityBuffer whether its pods have room, from the decisions of this run. */
export async function syncBufferStatus(
  { cluster, clock, settings }: ReadsCluster & WritesStatus & HasClock & HasSettings,
  { snapshot, decisions }: { readonly snapshot: ClusterSnapshot; readonly decisions: readonly Decision[] },
  log: Readings,
): Promise<readonly Error[]> {
  const { bufferPods = [], ignoredObjects = [] } = snapshot;
  // The status of a buffer follows from its pods.
  const isUnread = log.failures.has('CapacityBuffers');
  if (settings.shadow || !settings.featureGates.capacityBuffer || isUnread) return [];
  const actions = decisions.flatMap((decision) => decision.actions);
  const blocked = decisions.flatMap((decision) => decision.blocked);
  const buffers = await log.observe('CapacityBuffers', async () => cluster.listCapacityBuffers());
  return syncObjects(readOr(buffers, []).filter(isActiveBuffer), async (buffer) => {
    const patch = decideBuffer(buffer, { bufferPods, actions, blocked, ignoredObjects }, clock.now());
    if (patch !== undefined) await cluster.patchCapacityBuffer(buffer, patch);
  });
}
