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

/** Instances of ours that no claim calls its own → adopted, ended or reported. */
export async function collectGarbage(tending: ClusterWork<ReadsCluster>): Promise<readonly Error[]> {
  const { ports, cluster, records, world } = tending;
  const claimed = new Set(records.flatMap((record) => instanceOf(record)?.id ?? []));
  const unclaimed = world.instances.filter(({ id }) => !claimed.has(id));
  if (unclaimed.length === 0) return [];
  const nodePools = await ports.cluster.listNodePools();
  const catalogue = await world.catalogue();
  const strays = unclaimed
    .map((instance) => strayOf(tending, instance, { nodePools, catalogue }))
    .toSorted(compareUnrecordedInstances);
  const nowMs = ports.clock.now();
  const named = strays.map((stray) => ({ name: stray.instance.nodeClaim, stray }));
  const { failures } = await eachClaim(named, nowMs, async ({ name, stray }, aside) => {
    // The list of claims is older than that of instances: read by itself, and strongly, the record is there if it ever was.
    const verdict = decideUnrecordedInstance(
      { ...stray, record: await ports.store.readNodeClaim(cluster, name) },
      nowMs,
    );
    await applyVerdict(tending, { name: stray.instance.id, atMs: nowMs, aside }, verdict);
    return [];
  });
  return failures;
}

function strayOf(
  { cluster, world }: ClusterWork,
  instance: DescribedInstance,
  read: { readonly nodePools: readonly NodePool[]; readonly catalogue: Catalogue | undefined },
): UnrecordedInstance {
  const { nodeClasses, nodes, mirrors: nodeClaims } = world;
  return evidenceOfInstance({ cluster, nodeClasses, nodes, nodeClaims, ...read }, instance);
}
