import type { Condition } from '../../apis/kubernetes.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { optional } from '../../apis/optional.ts';
import type { ClusterEvent } from '../../core/model/event.ts';
import { withCurrentClassHash } from '../../core/node-class/node-class-hash.ts';
import { decideNodePool, type NodePoolState } from '../../core/node-pool/decide-node-pool.ts';
import { withCurrentPoolHash } from '../../core/node-pool/node-pool-hash.ts';
import { annotationInWords, annotationProblems } from '../../core/validation/annotations.ts';
import { portErrorOf } from '../../ports/errors.ts';
import { failureOf } from '../act/run-notes.ts';
import type { ClusterWork } from '../instances/instance-work.ts';
import { eachClaim } from '../run/each-claim.ts';
import type { HasSettings, WritesEvents, WritesStatus } from '../run/ports.ts';
import { syncObjects } from './sync-object-status.ts';

/** Writes the status of each NodePool, and updates the hashes of its claims. A step that fails does not stop the others (promise 7). */
export async function syncNodePoolStatus(work: ClusterWork<WritesStatus & HasSettings>): Promise<readonly Error[]> {
  const { ports, world } = work;
  const { nodePools, nodeClasses } = world;
  if (nodePools.kind === 'unread' || nodeClasses.kind === 'unread' || world.nodes.kind === 'unread') return [];
  const nodes = new Map(world.nodes.value.map((node) => [node.spec?.providerID ?? '', node]));
  // As the run has left them: another list would cost as much as the first one.
  const records = Map.groupBy(
    work.records.map((record) => work.notes.records?.get(record.name) ?? record),
    ({ nodePool }) => nodePool,
  );
  const { staticCapacity } = ports.settings.featureGates;
  const stateOf = (nodePool: NodePool): NodePoolState => ({
    nodePool,
    nodeClass: nodeClasses.value.find(
      ({ metadata }) => metadata.name === nodePool.spec.template.spec.nodeClassRef.name,
    ),
    records: records.get(nodePool.metadata.name) ?? [],
    nodes,
    staticCapacity,
  });
  const failures = await Promise.all([
    syncObjects(nodePools.value, async (nodePool) => writeStatus(work, stateOf(nodePool))),
    syncObjects(nodePools.value, async (nodePool) => updateHashes(work, stateOf(nodePool))),
    syncObjects(nodePools.value, async (nodePool) => reportAnnotations(work, nodePool)),
  ]);
  return failures.flat();
}

async function writeStatus({ ports }: ClusterWork<WritesStatus>, state: NodePoolState): Promise<readonly Error[]> {
  const { nodePool } = state;
  const patch = decideNodePool(state, ports.clock.now());
  if (patch === undefined) return [];
  const failures = await reportClass(ports, nodePool, patch.status?.conditions);
  await ports.cluster.patchNodePool(nodePool, patch);
  return failures;
}

/**
 * Publishes that the class is not ready, before the status has it: then no later run publishes it. *Shape:* the refusal of the Event.
 * *Errors:* a failure that may pass: the next run publishes the Event and writes the status.
 */
async function reportClass(
  { cluster }: WritesEvents,
  nodePool: NodePool,
  conditions: readonly Condition[] = [],
): Promise<readonly Error[]> {
  const unready = classReadiness(conditions);
  if (unready?.status !== 'False' || classReadiness(nodePool.status?.conditions)?.reason === unready.reason) return [];
  try {
    await cluster.publishEvent(warning(nodePool, 'NodeClassNotReady', unready.message ?? ''));
    return [];
  } catch (cause) {
    const error = portErrorOf(cause);
    if (error.retryable) throw error;
    return [failureOf(`NodePool ${nodePool.metadata.name}`, error)];
  }
}

/** *Cost:* one or two calls for each annotation with an invalid value. */
async function reportAnnotations({ ports }: ClusterWork<WritesStatus>, nodePool: NodePool): Promise<void> {
  const events = annotationProblems(nodePool).map((problem) =>
    warning(nodePool, 'InvalidAnnotation', annotationInWords(problem)),
  );
  await Promise.all(events.map(async (event) => ports.cluster.publishEvent(event)));
}

function warning({ metadata: { name, uid } }: NodePool, reason: ClusterEvent['reason'], message: string): ClusterEvent {
  return { regarding: { kind: 'NodePool', name, ...optional({ uid }) }, type: 'Warning', reason, message };
}

function classReadiness(conditions: readonly Condition[] = []): Condition | undefined {
  return conditions.find(({ type }) => type === 'NodeClassReady');
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
