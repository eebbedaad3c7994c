import type { ClusterSnapshot } from '../../core/model/cluster-snapshot.ts';
import type { Decision } from '../../core/model/decision.ts';
import { isActiveBuffer } from '../../core/provisioning/buffer-pods.ts';
import { decideBuffer } from '../../core/provisioning/buffer-status.ts';
import type { HasClock, HasSettings, ReadsCluster, WritesStatus } from '../run/ports.ts';
import { syncObjects } from './sync-object-status.ts';

/** A5.7: writes to each CapacityBuffer whether its pods have room, from the decisions of this run. */
export async function syncBufferStatus(
  { cluster, clock, settings }: ReadsCluster & WritesStatus & HasClock & HasSettings,
  { bufferPods = [], ignoredObjects = [] }: ClusterSnapshot,
  decisions: readonly Decision[],
): Promise<readonly Error[]> {
  if (settings.shadow || !settings.featureGates.capacityBuffer) return [];
  const actions = decisions.flatMap((decision) => decision.actions);
  const blocked = decisions.flatMap((decision) => decision.blocked);
  const buffers = (await cluster.listCapacityBuffers()).filter(isActiveBuffer);
  return syncObjects(buffers, async (buffer) => {
    const patch = decideBuffer(buffer, { bufferPods, actions, blocked, ignoredObjects }, clock.now());
    if (patch !== undefined) await cluster.patchCapacityBuffer(buffer, patch);
  });
}
