import { MINUTE_MS } from '../../apis/formats/time.ts';
import { instanceOf, type NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { isGroupName } from '../../core/node-claim/launch/launch-groups.ts';
import { tagsToGive } from '../../core/node-claim/tagging.ts';
import { readOr } from '../../core/observed.ts';
import { portErrorOf } from '../../ports/errors.ts';
import { failureOf } from '../act/run-notes.ts';
import { instanceWithId } from '../observe/find-observed.ts';
import { applyVerdict } from '../run/apply-verdict.ts';
import { eachClaim } from '../run/each-claim.ts';
import type { ClusterWork } from './instance-work.ts';

/** C84: one tag call a second, with one tick a minute. EC2 allows an account ten tag calls a second. */
const MAX_A_RUN = 60;

/**
 * Tags each instance once with the name of its node, after the node is registered. Only in a run for a tick: while the table refuses
 * the records of the tags, other runs would repeat the calls every few seconds.
 */
export async function tagInstances(work: ClusterWork): Promise<readonly Error[]> {
  const { ports, records, world } = work;
  if (!work.isTick) return [];
  const { nodeClasses, shifted } = world;
  if (nodeClasses.kind === 'unread' || shifted.kind === 'unread') return [];
  const classOf = new Map(nodeClasses.value.map((one) => [one.metadata.name, one]));
  // C36: not in a zone that the cluster is shifted away from.
  const due = records.flatMap((record) => {
    if (shifted.value.has(instanceOf(record)?.zone ?? '')) return [];
    const action = tagsToGive(record, classOf.get(record.spec.nodeClassRef.name));
    return action === undefined ? [] : [{ name: record.name, version: record.version, action }];
  });
  const registered = new Set(due.map(({ name }) => name));
  const unnamed = await nameMembers(work, shifted.value, (record) => !registered.has(record.name));
  const nowMs = ports.clock.now();
  const { failures } = await eachClaim(turn(due, nowMs), ports, async ({ name, version, action }) => {
    await applyVerdict(work, { name, version, atMs: nowMs }, { actions: [action], blocked: [] });
    return [];
  });
  return [...unnamed, ...failures];
}

/**
 * Names the instances of groups whose tags a launch could not write, if C84 does not name them now. Nothing waits for the names: the
 * next tick repeats what fails, and C84 reports it at the latest. *Shape:* a permanent refusal.
 */
async function nameMembers(
  work: ClusterWork,
  shifted: ReadonlySet<string>,
  isDue: (record: NodeClaimRecord) => boolean,
): Promise<readonly Error[]> {
  const { ports, cluster, records, world } = work;
  const instances = readOr(world.instances, []);
  const names = records.flatMap((record) => {
    const { id: instanceId = '', zone = '' } = instanceOf(record) ?? {};
    const { nodeClaim = '' } = instanceWithId(instances, instanceId) ?? {};
    const isUnnamed = isGroupName(nodeClaim) && record.deletion === undefined && !shifted.has(zone);
    return isUnnamed && isDue(record) ? [{ instanceId, nodeClaim: record.name }] : [];
  });
  if (names.length === 0) return [];
  const next = turn(names, ports.clock.now());
  try {
    await ports.cloud.nameInstances(cluster, next);
    return [];
  } catch (cause) {
    const error = portErrorOf(cause);
    return error.retryable ? [] : [failureOf('name instances', error)];
  }
}

/** The claims of this minute. They change each minute, so that instances that cannot be tagged do not delay others (promise 7). */
function turn<Claim>(due: readonly Claim[], nowMs: number): readonly Claim[] {
  const from = due.length === 0 ? 0 : (Math.floor(nowMs / MINUTE_MS) * MAX_A_RUN) % due.length;
  return [...due.slice(from), ...due.slice(0, from)].slice(0, MAX_A_RUN);
}
