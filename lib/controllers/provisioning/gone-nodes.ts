import type { Pod } from '../../apis/kubernetes.ts';
import { inParallel } from '../../core/in-parallel.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { doubtedNodes } from '../../core/provisioning/follow-plan/pod-nominations.ts';
import type { Readings } from '../observe/readings.ts';
import type { ReadsCluster } from '../run/ports.ts';

const READS_AT_ONCE = 10;

/**
 * B66: the nodes for which pods have nominations of Kerf and that are gone. A node that cannot be read may exist.
 * *Cost:* a read of each such node that no NodeClaim has. There is none, unless a write failed or pods are nominated for nodes of others.
 */
export async function goneNodes(
  { cluster }: ReadsCluster,
  { pods, records }: { readonly pods: readonly Pod[]; readonly records: readonly NodeClaimRecord[] },
  log: Readings,
): Promise<ReadonlySet<string>> {
  const { gone, unknown } = doubtedNodes(pods, records);
  const all = new Set(gone);
  await inParallel(unknown, READS_AT_ONCE, async (name) => {
    const node = await log.observe(`node ${name}`, async () => cluster.readNode(name));
    if (node.kind === 'read' && node.value === undefined) all.add(name);
  });
  return all;
}
