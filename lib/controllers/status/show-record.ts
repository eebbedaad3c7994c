import { instanceOf, type NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { isOfFormerPool } from '../../core/node-claim/mirror/former-pool.ts';
import { isShownBy, mirrorOf } from '../../core/node-claim/mirror/mirror.ts';
import { consolidatableSince } from '../../core/node-claim/mirror/mirror-conditions.ts';
import { nodeOfClaim } from '../../core/node-claim/registration.ts';
import { readOr } from '../../core/observed.ts';
import { nodeClaimNamed } from '../observe/find-observed.ts';
import type { ObservedClaims } from '../observe/observe-claims.ts';
import { joiningFacts } from '../observe/observe-joining.ts';
import type { HasClock, ReadsClaims, WritesCluster } from '../run/ports.ts';

interface Shown {
  readonly world: Pick<ObservedClaims, 'mirrors' | 'nodePools' | 'nodes'> & Parameters<typeof joiningFacts>[2];
  /** The run has read or written the record just now. Other records are as old as the run. */
  readonly isFresh: boolean;
}

/**
 * Updates the NodeClaim object from its record. A claim without an object does not get one if it or its NodePool was deleted, and an
 * object that was removed meanwhile is not created again. *Cost:* a read if an object is created for a record that is not fresh.
 * *Errors:* ConflictError if the object was removed after it was listed.
 */
export async function showRecord(
  ports: WritesCluster & ReadsClaims & HasClock,
  known: NodeClaimRecord,
  { world, isFresh }: Shown,
): Promise<void> {
  const { cluster, clock } = ports;
  const { mirrors, nodePools, nodes } = world;
  const { name } = known;
  // An object that is written without one of these would lose a part of its status.
  if (mirrors.kind === 'unread' || nodePools.kind === 'unread' || nodes.kind === 'unread') return;
  const mirror = nodeClaimNamed(mirrors.value, name);
  const record =
    mirror !== undefined || isFresh || known.deletion !== undefined
      ? known
      : await ports.store.readNodeClaim(known.cluster, name);
  if (record === undefined || record.releasedAtMs !== undefined) return;
  const { deletion } = record;
  if (deletion !== undefined && mirror === undefined) return;
  if (isOfFormerPool(record, world)) return;
  const node = nodeOfClaim(nodes.value, record);
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
  // A restored record may lack the launch that its object shows. The object is then the only source of the instance.
  const isBehind = instanceOf(record) === undefined && mirror?.status?.providerID !== undefined;
  if (!isBehind && !isShownBy(record, view)) await cluster.applyNodeClaim(mirrorOf(record, view));
  // D17: the deletion of a claim, by any cause, deletes its object.
  if (deletion !== undefined && mirror?.metadata.deletionTimestamp === undefined) await cluster.deleteNodeClaim(name);
}
