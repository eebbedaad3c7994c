import type { NodePool } from '../../apis/node-pool.ts';
import { optional } from '../../apis/optional.ts';
import type { ClusterEvent } from '../../core/model/event.ts';
import { withCurrentClassHash } from '../../core/node-class/node-class-hash.ts';
import { decideNodePool, type NodePoolState } from '../../core/node-pool/decide-node-pool.ts';
import { withCurrentPoolHash } from '../../core/node-pool/node-pool-hash.ts';
import { annotationInWords, annotationProblems } from '../../core/validation/annotations.ts';
import type { ClusterWork } from '../instances/instance-work.ts';
import { eachClaim } from '../run/each-claim.ts';
import type { HasSettings, WritesStatus } from '../run/ports.ts';
import { syncObjects } from './sync-object-status.ts';

/** Writes the status of each NodePool, and updates the hashes of its claims. */
export async function syncNodePoolStatus(work: ClusterWork<WritesStatus & HasSettings>): Promise<readonly Error[]> {
  const { ports, world } = work;
  const { nodePools, nodeClasses } = world;
  if (nodePools.kind === 'unread' || nodeClasses.kind === 'unread' || world.nodes.kind === 'unread') return [];
  const nodes = new Map(world.nodes.value.map((node) => [node.spec?.providerID ?? '', node]));
  // As the run has left them: another list would cost as much as the first one.
  const records = work.records.map((record) => work.notes.records?.get(record.name) ?? record);
  return syncObjects(nodePools.value, async (nodePool) => {
    const nodeClass = nodeClasses.value.find(
      ({ metadata }) => metadata.name === nodePool.spec.template.spec.nodeClassRef.name,
    );
    const own = records.filter((record) => record.nodePool === nodePool.metadata.name);
    const { staticCapacity } = ports.settings.featureGates;
    await writeStatus(work, { nodePool, nodeClass, records: own, nodes, staticCapacity });
    const failures = await updateHashes(work, { nodePool, nodeClass, records: own });
    await reportAnnotations(work, nodePool);
    return failures;
  });
}

async function writeStatus({ ports }: ClusterWork<WritesStatus>, state: NodePoolState): Promise<void> {
  const { nodePool } = state;
  const patch = decideNodePool(state, ports.clock.now());
  if (patch === undefined) return;
  const written = await ports.cluster.patchNodePool(nodePool, patch);
  const unready = conditionOf(written, 'NodeClassReady');
  if (unready?.status !== 'False' || conditionOf(nodePool, 'NodeClassReady')?.reason === unready.reason) return;
  const message = unready.message ?? '';
  await ports.cluster.publishEvent(warning(nodePool, 'NodeClassNotReady', message));
}

/** *Cost:* one or two calls for each annotation with an invalid value. */
async function reportAnnotations({ ports }: ClusterWork<WritesStatus>, nodePool: NodePool): Promise<void> {
  for (const problem of annotationProblems(nodePool))
    await ports.cluster.publishEvent(warning(nodePool, 'InvalidAnnotation', annotationInWords(problem)));
}

function warning({ metadata: { name, uid } }: NodePool, reason: ClusterEvent['reason'], message: string): ClusterEvent {
  return { regarding: { kind: 'NodePool', name, ...optional({ uid }) }, type: 'Warning', reason, message };
}

function conditionOf(nodePool: NodePool | undefined, type: string) {
  return nodePool?.status?.conditions?.find((one) => one.type === type);
}

/** A1.28, A3.26. After an upgrade, these may be all claims of the NodePool. A claim that another run has changed is updated by the next run. */
async function updateHashes(
  { ports }: ClusterWork,
  { nodePool, nodeClass, records }: Pick<NodePoolState, 'nodePool' | 'nodeClass' | 'records'>,
): Promise<readonly Error[]> {
  const outdated = records.flatMap((record) => {
    const ofPool = withCurrentPoolHash(record, nodePool);
    const updated = nodeClass === undefined ? ofPool : withCurrentClassHash(ofPool, nodeClass);
    return updated === record ? [] : [updated];
  });
  const { failures } = await eachClaim(outdated, ports, async (updated) => {
    await ports.store.updateNodeClaim(updated);
    return [];
  });
  return failures;
}
