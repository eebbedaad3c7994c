import { instanceOf, type NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { isShownBy, mirrorOf } from '../../core/node-claim/mirror/mirror.ts';
import { consolidatableSince } from '../../core/node-claim/mirror/mirror-conditions.ts';
import { readOr } from '../../core/observed.ts';
import { nodeClaimNamed, nodeOfInstance } from '../observe/find-observed.ts';
import type { ObservedClaims } from '../observe/observe-claims.ts';
import { joiningFacts } from '../observe/observe-joining.ts';
import type { HasClock, WritesCluster } from '../run/ports.ts';

/** Updates the NodeClaim object from its record. A deleted claim without an object does not get one. */
export async function showRecord(
  { cluster, clock }: WritesCluster & HasClock,
  record: NodeClaimRecord,
  world: ObservedClaims,
): Promise<void> {
  const { mirrors, nodePools, nodes } = world;
  const { name, deletion, releasedAtMs } = record;
  // An object that is written without one of these would lose a part of its status.
  if (mirrors.kind === 'unread' || nodePools.kind === 'unread' || nodes.kind === 'unread') return;
  const mirror = nodeClaimNamed(mirrors.value, name);
  if (releasedAtMs !== undefined || (deletion !== undefined && mirror === undefined)) return;
  const node = nodeOfInstance(nodes.value, instanceOf(record));
  // The run has read them already for the registration, if the node needs them.
  const { instanceLabels } = await joiningFacts(record, node, world);
  const nodePool = nodePools.value.find(({ metadata }) => metadata.name === record.nodePool);
  const view = {
    mirror,
    nodePool,
    node,
    instanceLabels: readOr(instanceLabels, {}),
    consolidatableSinceMs: consolidatableSince(record, nodePool, clock.now()),
  };
  if (!isShownBy(record, view)) await cluster.applyNodeClaim(mirrorOf(record, view));
  // D17: the deletion of a claim, by any cause, deletes its object.
  if (deletion !== undefined && mirror?.metadata.deletionTimestamp === undefined) await cluster.deleteNodeClaim(name);
}
