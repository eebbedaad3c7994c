import type { NodePool } from '../../apis/node-pool.ts';
import { decideNodePool, type NodePoolState } from '../../core/node-pool/decide-node-pool.ts';
import { withCurrentPoolHash } from '../../core/node-pool/node-pool-hash.ts';
import { isConflict } from '../../ports/errors.ts';
import type { ClusterWork } from '../instances/instance-work.ts';
import type { WritesStatus } from '../run/ports.ts';
import { syncObjects } from './sync-object-status.ts';

/** Each NodePool says of itself what it has and whether it can launch, and its claims by which rules they are compared. */
export async function syncNodePoolStatus(tending: ClusterWork<WritesStatus>): Promise<readonly Error[]> {
  const { ports, cluster, world } = tending;
  const nodes = new Map(world.nodes.map((node) => [node.spec?.providerID ?? '', node]));
  // Read again: the run has launched and registered since it began to look.
  const records = world.nodePools.length === 0 ? [] : await ports.store.listNodeClaims(cluster);
  return syncObjects(world.nodePools, async (nodePool) => {
    const nodeClass = world.nodeClasses.find(
      ({ metadata }) => metadata.name === nodePool.spec.template.spec.nodeClassRef.name,
    );
    const mine = records.filter((record) => record.nodePool === nodePool.metadata.name);
    await show(tending, { nodePool, nodeClass, records: mine, nodes });
    await restamp(tending, { nodePool, records: mine });
  });
}

async function show({ ports }: ClusterWork<WritesStatus>, look: NodePoolState): Promise<void> {
  const { nodePool } = look;
  const patch = decideNodePool(look, ports.clock.now());
  if (patch === undefined) return;
  const shown = await ports.cluster.patchNodePool(nodePool, patch);
  const unready = conditionOf(shown, 'NodeClassReady');
  if (unready?.status !== 'False' || conditionOf(nodePool, 'NodeClassReady')?.reason === unready.reason) return;
  const { name, uid } = nodePool.metadata;
  const regarding = { kind: 'NodePool', name, ...(uid === undefined ? {} : { uid }) } as const;
  const message = unready.message ?? '';
  await ports.cluster.publishEvent({ regarding, type: 'Warning', reason: 'NodeClassNotReady', message });
}

function conditionOf(nodePool: NodePool | undefined, type: string) {
  return nodePool?.status?.conditions?.find((one) => one.type === type);
}

/** A1.28. */
async function restamp({ ports }: ClusterWork, { nodePool, records }: Pick<NodePoolState, 'nodePool' | 'records'>) {
  for (const record of records) {
    const stamped = withCurrentPoolHash(record, nodePool);
    if (stamped === record) continue;
    try {
      await ports.store.updateNodeClaim(stamped);
    } catch (error) {
      // Somebody else wrote it since: the next look marks it.
      if (!isConflict(error)) throw error;
    }
  }
}
