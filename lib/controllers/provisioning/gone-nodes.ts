import type { Pod } from '../../apis/kubernetes.ts';
import { foreignNomination, withoutLostNominations } from '../../core/cluster/nominated-node.ts';
import { inParallel } from '../../core/in-parallel.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { doubtedNodes } from '../../core/provisioning/follow-plan/pod-nominations.ts';
import type { Readings } from '../observe/readings.ts';
import type { ReadsCluster } from '../run/ports.ts';

const READS_AT_ONCE = 10;

/**
 * B6: the pods without the nominations of other components for nodes that are gone. A node that cannot be read may exist.
 * *Cost:* a read of each node for which another component has nominated a pod.
 */
export async function withoutGoneNominations(
  { cluster }: ReadsCluster,
  pods: readonly Pod[],
  log: Readings,
): Promise<readonly Pod[]> {
  const nominated = new Set(pods.flatMap((pod) => foreignNomination(pod) ?? []));
  const gone = await goneOf(cluster, [...nominated], log);
  return withoutLostNominations(pods, nominated.difference(gone));
}

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
  return gone.union(await goneOf(cluster, unknown, log));
}

async function goneOf(
  cluster: ReadsCluster['cluster'],
  names: readonly string[],
  log: Readings,
): Promise<ReadonlySet<string>> {
  const gone = new Set<string>();
  await inParallel(names, READS_AT_ONCE, async (name) => {
    const node = await log.observe(`node ${name}`, async () => cluster.readNode(name));
    if (node.kind === 'read' && node.value === undefined) gone.add(name);
  });
  return gone;
}
