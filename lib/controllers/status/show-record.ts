import { instanceOf, type NodeClaimRecord, providerIdOf } from '../../core/model/node-claim-record.ts';
import { isShownBy, mirrorOf } from '../../core/node-claim/mirror/mirror.ts';
import type { ObservedClaims } from '../observe/observe-claims.ts';
import type { HasClock, WritesCluster } from '../run/ports.ts';

/** Keeps the NodeClaim object like its record; one that is on its way out gets no object any more, and is shown as going. */
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
  // D17: whatever ends it, the object says so.
  if (deletion !== undefined && mirror?.metadata.deletionTimestamp === undefined) await cluster.deleteNodeClaim(name);
}
