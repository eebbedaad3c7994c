import { MINUTE_MS } from '../../apis/formats/time.ts';
import { instanceOf } from '../../core/model/node-claim-record.ts';
import { tagsToGive } from '../../core/node-claim/tagging.ts';
import { applyVerdict } from '../run/apply-verdict.ts';
import { eachClaim } from '../run/each-claim.ts';
import type { ClusterWork } from './instance-work.ts';

/** C84: one a second, as the tick comes each minute: EC2 lets an account tag ten things a second. */
const MAX_A_RUN = 60;

/** Instances whose nodes are registered get their names, once. */
export async function tagInstances(tending: ClusterWork): Promise<readonly Error[]> {
  const { ports, records, world } = tending;
  const classOf = new Map(world.nodeClasses.map((one) => [one.metadata.name, one]));
  // C36: not in a zone that the cluster is shifted away from.
  const due = records.flatMap((record) => {
    if (world.shifted.has(instanceOf(record)?.zone ?? '')) return [];
    const action = tagsToGive(record, classOf.get(record.spec.nodeClassRef.name));
    return action === undefined ? [] : [{ name: record.name, version: record.version, action }];
  });
  const nowMs = ports.clock.now();
  const { failures } = await eachClaim(turn(due, nowMs), nowMs, async ({ name, version, action }) => {
    await applyVerdict(tending, { name, version, atMs: nowMs }, { actions: [action], blocked: [] });
    return [];
  });
  return failures;
}

/** Those whose turn it is in this minute: some that cannot be tagged never keep the others from it (promise 7). */
function turn<Claim>(due: readonly Claim[], nowMs: number): readonly Claim[] {
  const from = due.length === 0 ? 0 : (Math.floor(nowMs / MINUTE_MS) * MAX_A_RUN) % due.length;
  return [...due.slice(from), ...due.slice(0, from)].slice(0, MAX_A_RUN);
}
