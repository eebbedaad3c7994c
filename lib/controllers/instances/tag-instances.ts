import { MINUTE_MS } from '../../apis/formats/time.ts';
import { instanceOf } from '../../core/model/node-claim-record.ts';
import { tagsToGive } from '../../core/node-claim/tagging.ts';
import { applyVerdict } from '../run/apply-verdict.ts';
import { eachClaim } from '../run/each-claim.ts';
import type { ClusterWork } from './instance-work.ts';

/** C84: one tag call a second, with one tick a minute. EC2 allows an account ten tag calls a second. */
const MAX_A_RUN = 60;

/** Tags each instance once with the name of its node, after the node is registered. */
export async function tagInstances(work: ClusterWork): Promise<readonly Error[]> {
  const { ports, records, world } = work;
  const { nodeClasses, shifted } = world;
  if (nodeClasses.kind === 'unread' || shifted.kind === 'unread') return [];
  const classOf = new Map(nodeClasses.value.map((one) => [one.metadata.name, one]));
  // C36: not in a zone that the cluster is shifted away from.
  const due = records.flatMap((record) => {
    if (shifted.value.has(instanceOf(record)?.zone ?? '')) return [];
    const action = tagsToGive(record, classOf.get(record.spec.nodeClassRef.name));
    return action === undefined ? [] : [{ name: record.name, version: record.version, action }];
  });
  const nowMs = ports.clock.now();
  const { failures } = await eachClaim(turn(due, nowMs), nowMs, async ({ name, version, action }) => {
    await applyVerdict(work, { name, version, atMs: nowMs }, { actions: [action], blocked: [] });
    return [];
  });
  return failures;
}

/** The claims of this minute. They change each minute, so that instances that cannot be tagged do not delay others (promise 7). */
function turn<Claim>(due: readonly Claim[], nowMs: number): readonly Claim[] {
  const from = due.length === 0 ? 0 : (Math.floor(nowMs / MINUTE_MS) * MAX_A_RUN) % due.length;
  return [...due.slice(from), ...due.slice(0, from)].slice(0, MAX_A_RUN);
}
