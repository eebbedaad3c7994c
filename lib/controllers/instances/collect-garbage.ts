import type { NodePool } from '../../apis/node-pool.ts';
import type { Catalogue } from '../../core/instance-type/facts.ts';
import { instanceOf } from '../../core/model/node-claim-record.ts';
import {
  compareUnrecordedInstances,
  decideUnrecordedInstance,
  type UnrecordedInstance,
} from '../../core/node-claim/adoption/garbage.ts';
import { evidenceOfInstance } from '../../core/node-claim/adoption/instance-evidence.ts';
import type { DescribedInstance } from '../../ports/cloud-provider.ts';
import { applyVerdict } from '../run/apply-verdict.ts';
import { eachClaim } from '../run/each-claim.ts';
import type { ReadsCluster } from '../run/ports.ts';
import type { ClusterWork } from './instance-work.ts';

/** Instances without a claim → adopted, terminated or reported. */
export async function collectGarbage(work: ClusterWork<ReadsCluster>): Promise<readonly Error[]> {
  const { ports, cluster, records, world } = work;
  const claimed = new Set(records.flatMap((record) => instanceOf(record)?.id ?? []));
  const unclaimed = world.instances.filter(({ id }) => !claimed.has(id));
  if (unclaimed.length === 0) return [];
  const nodePools = await ports.cluster.listNodePools();
  const catalogue = await world.catalogue();
  const unrecorded = unclaimed
    .map((instance) => unrecordedOf(work, instance, { nodePools, catalogue }))
    .toSorted(compareUnrecordedInstances);
  const nowMs = ports.clock.now();
  const named = unrecorded.map((found) => ({ name: found.instance.nodeClaim, found }));
  const { failures } = await eachClaim(named, nowMs, async ({ name, found }, aside) => {
    // The list of claims is older than the list of instances. A strong read finds a record that was written in between.
    const verdict = decideUnrecordedInstance(
      { ...found, record: await ports.store.readNodeClaim(cluster, name) },
      nowMs,
    );
    await applyVerdict(work, { name: found.instance.id, atMs: nowMs, aside }, verdict);
    return [];
  });
  return failures;
}

function unrecordedOf(
  { cluster, world }: ClusterWork,
  instance: DescribedInstance,
  read: { readonly nodePools: readonly NodePool[]; readonly catalogue: Catalogue | undefined },
): UnrecordedInstance {
  const { nodeClasses, nodes, mirrors: nodeClaims } = world;
  return evidenceOfInstance({ cluster, nodeClasses, nodes, nodeClaims, ...read }, instance);
}
