import { instanceOf, type NodeClaimRecord, providerIdOf } from '../../core/model/node-claim-record.ts';
import { isShownBy, mirrorOf } from '../../core/node-claim/mirror/mirror.ts';
import type { ObservedClaims } from '../observe/observe-claims.ts';
import type { HasClock, WritesCluster } from '../run/ports.ts';

/** Updates the NodeClaim object from its record. A deleted claim without an object does not get one. */
export async function showRecord(
  { cluster, clock }: WritesCluster & HasClock,
  record: NodeClaimRecord,
  { mirrors, nodePools, nodes }: Pick<ObservedClaims, 'mirrors' | 'nodePools' | 'nodes'>,
): Promise<void> {
  const { name, deletion, releasedAtMs } = record;
  const mirror = mirrors.find(({ metadata }) => metadata.name === name);
  if (releasedAtMs !== undefined || (deletion !== undefined && mirror === undefined)) return;
  const instance = instanceOf(record);
  const view = {
    mirror,
    nodePool: nodePools.find(({ metadata }) => metadata.name === record.nodePool),
    node: nodes.find(({ spec }) => instance !== undefined && spec?.providerID === providerIdOf(instance)),
    nowMs: clock.now(),
  };
  if (!isShownBy(record, view)) await cluster.applyNodeClaim(mirrorOf(record, view));
  // D17: the deletion of a claim, by any cause, deletes its object.
  if (deletion !== undefined && mirror?.metadata.deletionTimestamp === undefined) await cluster.deleteNodeClaim(name);
}
