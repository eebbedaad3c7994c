import type { NodeClaim } from '../../apis/node-claim.ts';
import { decideStandalone } from '../../core/node-claim/mirror/standalone.ts';
import type { ClusterWork } from '../instances/instance-work.ts';
import type { WritesStatus } from '../run/ports.ts';
import { syncObjects } from './sync-object-status.ts';

/** NodeClaim objects that no claim at work is shown by. */
export async function syncNodeClaimStatus({
  ports,
  cluster,
  records,
  world,
}: ClusterWork<WritesStatus>): Promise<readonly Error[]> {
  const known = new Set(records.map(({ name }) => name));
  const strays = world.mirrors.filter(({ metadata }) => !known.has(metadata.name));
  return syncObjects(strays, async (nodeClaim: NodeClaim) => {
    const { name } = nodeClaim.metadata;
    const record = await ports.store.readNodeClaim(cluster, name);
    // An object whose claim is released has nobody else to let it go; one that we never made is not ours to take away.
    if (record?.releasedAtMs !== undefined) await ports.cluster.removeNodeClaim(name);
    const patch = record === undefined ? decideStandalone(nodeClaim, ports.clock.now()) : undefined;
    if (patch !== undefined) await ports.cluster.patchNodeClaim(nodeClaim, patch);
  });
}
