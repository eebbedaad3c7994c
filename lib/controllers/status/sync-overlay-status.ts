import { decideOverlay } from '../../core/instance-type/overlays/overlay-status.ts';
import type { ClusterWork } from '../instances/instance-work.ts';
import { type InstanceTypePorts, withInstanceTypes } from '../observe/observe-instance-types.ts';
import { observeUnavailable } from '../observe/observe-unavailable.ts';
import type { ReadsZonalShifts, WritesStatus } from '../run/ports.ts';
import { syncObjects } from './sync-object-status.ts';

/** A4.1: writes to each NodeOverlay whether it is applied. *Cost:* one list if there are none. */
export async function syncOverlayStatus({
  ports,
  cluster,
  world,
}: ClusterWork<InstanceTypePorts & ReadsZonalShifts & WritesStatus>): Promise<readonly Error[]> {
  if (!ports.settings.featureGates.nodeOverlay) return [];
  const { nodePools } = world;
  if (nodePools.kind === 'unread') return [];
  const overlays = await ports.cluster.listNodeOverlays();
  if (overlays.length === 0) return [];
  const { unavailable } = await observeUnavailable(ports, cluster, world.readings);
  const { conflicts } = await withInstanceTypes(ports, nodePools.value, { unavailable, readings: world.readings });
  return syncObjects(overlays, async (overlay) => {
    const patch = decideOverlay(overlay, conflicts, ports.clock.now());
    if (patch !== undefined) await ports.cluster.patchNodeOverlay(overlay, patch);
  });
}
