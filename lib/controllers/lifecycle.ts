import { optional } from '../apis/optional.ts';
import { gaugesOfNodes } from '../core/cluster/gauges.ts';
import type { Action } from '../core/model/decision.ts';
import type { NodeClaimRecord } from '../core/model/node-claim-record.ts';
import { doLaunchesTakeTurns } from '../core/node-claim/launch/launch-turns.ts';
import { problemsOfClaims } from '../core/problems/claim-problems.ts';
import { doSeveralStart } from '../core/provisioning/follow-plan/pod-nominations.ts';
import { noteFailure, noteUnread, notReported } from './act/run-notes.ts';
import { syncWebhook } from './install/sync-webhook.ts';
import type { ClusterWork } from './instances/instance-work.ts';
import type { RemembersInstances } from './instances/last-list.ts';
import { repairNodes } from './instances/repair-nodes.ts';
import { requestCatalogue } from './instances/request-catalogue.ts';
import { syncInstances } from './instances/sync-instances.ts';
import { advanceClaims } from './launch/advance-claims.ts';
import { findClaims } from './observe/find-claims.ts';
import { observeWorld } from './observe/observe-claims.ts';
import type { LaunchContextPorts } from './observe/observe-launch-context.ts';
import type { ObjectRun, VerdictPorts } from './run/apply-verdict.ts';
import { type CoalescedWake, reasonsOf } from './run/coalesce-wakes.ts';
import type {
  HasSettings,
  InspectsInstances,
  ManagesNodeClassResources,
  MayHaveWebhook,
  ReadsCluster,
  RunReport,
  WritesStatus,
} from './run/ports.ts';
import { armWakeUp, conflictRetry, sendWakes } from './run/wake-up.ts';
import { syncNodeClaimStatus } from './status/sync-node-claim-status.ts';
import { syncNodeClassStatus } from './status/sync-node-class-status.ts';
import { syncNodePoolStatus } from './status/sync-node-pool-status.ts';
import { syncOverlayStatus } from './status/sync-overlay-status.ts';

type Sync = readonly [string, (work: ClusterWork<LifecyclePorts>) => Promise<readonly Error[]>];

/** Before the others, because it reads a large list, and the memory of the function is limited. */
const SYNC_CLAIMS: Sync = ['sync NodeClaims', syncNodeClaimStatus];

/**
 * What each tick does beside the claims, at the same time, because a function that waits is paid for. Each step is repeated by the next tick,
 * so a failure does not stop the others.
 */
const SYNCS: readonly Sync[] = [
  ['sync instances', syncInstances],
  ['request the catalogue', requestCatalogue],
  ['sync EC2NodeClasses', syncNodeClassStatus],
  ['sync NodePools', syncNodePoolStatus],
  ['sync NodeOverlays', syncOverlayStatus],
];

/** A tick compares all instances with their claims. A warning of an instance that has no record waits for its adoption. */
const NEEDS_LIST: ReadonlySet<string> = new Set(['tick', 'unrecorded-instance']);

type LifecyclePorts = VerdictPorts &
  LaunchContextPorts &
  ReadsCluster &
  WritesStatus &
  InspectsInstances &
  ManagesNodeClassResources &
  HasSettings &
  RemembersInstances &
  MayHaveWebhook;

/** NodeClaims → instances → registered and initialized nodes. Deletes NodeClaims that do not get there in time. */
export async function reconcileLifecycle(ports: LifecyclePorts, wake: CoalescedWake): Promise<RunReport> {
  const { cluster, conflicts } = wake;
  const notes: ObjectRun['notes'] = { decisions: [], due: [], failures: [], instances: new Map(), records: new Map() };
  const run: ObjectRun<LifecyclePorts> = { ports, controller: 'lifecycle', cluster, notes, conflicts };
  const readAtMs = ports.clock.now();
  const { records, failures: unreadable } = await findClaims(ports, wake);
  if (records.length === 0 && wake.nodeClaim !== undefined) {
    return { controller: 'lifecycle', cluster, decisions: [], due: [], gauges: {}, failures: unreadable };
  }
  const reasons = reasonsOf(wake);
  const isWhole = wake.nodeClaim === undefined;
  const world = await observeWorld(ports, {
    cluster,
    records,
    needsList: reasons.some((one) => NEEDS_LIST.has(one)),
    takeTurns: isWhole ? doLaunchesTakeTurns(records, readAtMs) : undefined,
  });
  const each = await advanceClaims(run, { records, readAtMs, world });
  const due = [...each.due];
  let { hasConflict } = each;
  if (isWhole) {
    const work = { ...run, records, world, isTick: reasons.includes('tick') };
    const repairs = await repairNodes(work);
    due.push(...repairs.due);
    hasConflict ||= repairs.hasConflict;
    notes.failures.push(...notReported(run, repairs.failures));
    const note = async ([subject, sync]: Sync): Promise<unknown> =>
      noteFailure(run, subject, async () => notes.failures.push(...notReported(run, await sync(work))));
    await note(SYNC_CLAIMS);
    await Promise.all([...SYNCS.map(note), (async () => notes.failures.push(...(await syncWebhook(ports, wake))))()]);
  }
  if (world.named.size > 0 || (doNodesStart(notes) && doSeveralStart(records)))
    notes.failures.push(...(await sendWakes(ports, [['provisioning', { cluster, reason: 'nominations' }]])));
  if (records.some((record) => isNewlyLost(record, notes)))
    notes.failures.push(...(await sendWakes(ports, [['provisioning', { cluster, reason: 'node-lost' }]])));
  noteUnread(run, world.readings);
  const again = conflictRetry(wake, hasConflict, ports.clock.now());
  due.push(...notes.due, ...again.due);
  await armWakeUp(ports, 'lifecycle', { ...again, cluster, due });
  const failures = [...notReported(run, each.failures), ...notes.failures];
  const gauges = isWhole && world.nodes.kind === 'read' ? gaugesOfNodes(world.nodes.value, records) : {};
  const problems = isWhole ? problemsOfClaims(records, ports.clock.now()) : [];
  const { decisions, instances } = notes;
  return { controller: 'lifecycle', cluster, decisions, ...optional({ instances }), due, gauges, problems, failures };
}

/** A run of provisioning that began before may have planned the pods of the node for its return. */
function isNewlyLost({ name, nodeLostAtMs }: NodeClaimRecord, { records }: ObjectRun['notes']): boolean {
  return nodeLostAtMs === undefined && records?.get(name)?.nodeLostAtMs !== undefined;
}

/**
 * B66: when a node joins or becomes ready, the kube-scheduler tries pending pods, and clears the nominations of those that fit nowhere. A node
 * that waits for others (B67) has joined or become ready without an action.
 */
function doNodesStart({ decisions }: ObjectRun['notes']): boolean {
  return decisions.some(
    ({ actions, blocked }) =>
      actions.some(({ kind }) => STARTS.has(kind)) || blocked.some(({ reason }) => reason === 'AwaitsOtherNodes'),
  );
}

const STARTS: ReadonlySet<Action['kind']> = new Set(['register-node', 'initialize-node']);
