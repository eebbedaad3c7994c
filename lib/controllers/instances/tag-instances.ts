import { MINUTE_MS } from '../../apis/formats/time.ts';
import { instanceOf, type NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { tagsToGive } from '../../core/node-claim/tagging.ts';
import { applyVerdict } from '../run/apply-verdict.ts';
import { eachClaim } from '../run/each-claim.ts';
import type { ClusterWork } from './instance-work.ts';

/** C84: one a second, as the tick comes each minute: EC2 lets an account tag ten things a second. */
const MAX_A_RUN = 60;

/** Instances whose nodes are registered get their names, once. */
export async function tagInstances(tending: ClusterWork): Promise<readonly Error[]> {
  const { ports, cluster, records, world } = tending;
  const classOf = new Map(world.nodeClasses.map((one) => [one.metadata.name, one]));
  // C36: not in a zone that the cluster is shifted away from.
  const isDue = (record: NodeClaimRecord): boolean =>
    !world.shifted.has(instanceOf(record)?.zone ?? '') &&
    tagsToGive(record, classOf.get(record.spec.nodeClassRef.name)) !== undefined;
  const nowMs = ports.clock.now();
  const { failures } = await eachClaim(turn(records.filter(isDue), nowMs), nowMs, async ({ name }) => {
    // Read again: the run has written to it since.
    const record = await ports.store.readNodeClaim(cluster, name);
    const action = record && tagsToGive(record, classOf.get(record.spec.nodeClassRef.name));
    if (record === undefined || action === undefined) return [];
    await applyVerdict(tending, { name, version: record.version, atMs: nowMs }, { actions: [action], blocked: [] });
    return [];
  });
  return failures;
}

/** Those whose turn it is in this minute: some that cannot be tagged never keep the others from it (promise 7). */
function turn(records: readonly NodeClaimRecord[], nowMs: number): readonly NodeClaimRecord[] {
  const from = records.length === 0 ? 0 : (Math.floor(nowMs / MINUTE_MS) * MAX_A_RUN) % records.length;
  return [...records.slice(from), ...records.slice(0, from)].slice(0, MAX_A_RUN);
}
