import { optional } from '../apis/optional.ts';
import { gaugesOfNodes } from '../core/cluster/gauges.ts';
import type { Action } from '../core/model/decision.ts';
import type { NodeClaimRecord } from '../core/model/node-claim-record.ts';
import { doLaunchesTakeTurns } from '../core/node-claim/launch/launch-turns.ts';
import { readOr } from '../core/observed.ts';
import { problemsOfClaims } from '../core/problems/claim-problems.ts';
import { poolsOfClaims, unreadyPools } from '../core/problems/unready-pools.ts';
import { doSeveralStart } from '../core/provisioning/follow-plan/pod-nominations.ts';
import { noteUnread, notReported } from './act/run-notes.ts';
import type { RemembersInstances } from './instances/last-list.ts';
import { repairNodes } from './instances/repair-nodes.ts';
import { advanceClaims } from './launch/advance-claims.ts';
import { findClaims } from './observe/find-claims.ts';
import { observeWorld } from './observe/observe-claims.ts';
import type { ObjectRun, VerdictPorts } from './run/apply-verdict.ts';
import { type CoalescedWake, reasonsOf } from './run/coalesce-wakes.ts';
import type { RunReport } from './run/ports.ts';
import { armWakeUp, conflictRetry, sendWakes } from './run/wake-up.ts';
import { type SyncPorts, syncAll } from './status/sync-all.ts';

/** A tick compares all instances with their claims. A warning of an instance that has no record waits for its adoption. */
const NEEDS_LIST: ReadonlySet<string> = new Set(['tick', 'unrecorded-instance']);

type LifecyclePorts = VerdictPorts & SyncPorts & RemembersInstances;

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
  const work = { ...run, records, world, isTick: reasons.includes('tick') };
  const each = await advanceClaims(run, { records, readAtMs, world });
  const due = [...each.due];
  let { hasConflict } = each;
  if (isWhole) {
    const repairs = await repairNodes(work);
    due.push(...repairs.due);
    hasConflict ||= repairs.hasConflict;
    notes.failures.push(...notReported(run, repairs.failures));
  }
  if (world.named.size > 0 || (doNodesStart(notes) && doSeveralStart(records)))
    notes.failures.push(...(await sendWakes(ports, [['provisioning', { cluster, reason: 'nominations' }]])));
  if (records.some((record) => isNewlyLost(record, notes)))
    notes.failures.push(...(await sendWakes(ports, [['provisioning', { cluster, reason: 'node-lost' }]])));
  const again = conflictRetry(wake, hasConflict, ports.clock.now());
  due.push(...notes.due.splice(0), ...again.due);
  // A step that hangs delays neither what claims wait for, nor the wakes of other functions.
  const [armed, synced] = await Promise.allSettled([
    armWakeUp(ports, 'lifecycle', { ...again, cluster, due }),
    isWhole ? syncAll(work, wake) : undefined,
  ]);
  if (armed.status === 'rejected') throw armed.reason;
  if (synced.status === 'rejected') throw synced.reason;
  const sooner = notes.due.filter(({ atMs }) => atMs < armed.value);
  await armWakeUp(ports, 'lifecycle', { ...again, cluster, due: sooner });
  due.push(...notes.due);
  noteUnread(run, world.readings);
  const failures = [...notReported(run, each.failures), ...notes.failures];
  const gauges = isWhole && world.nodes.kind === 'read' ? gaugesOfNodes(world.nodes.value, records) : {};
  const nowMs = ports.clock.now();
  const unready = unreadyPools(readOr(world.nodePools, []), poolsOfClaims(records), nowMs);
  const problems = isWhole ? [...unready, ...problemsOfClaims(records, nowMs)] : [];
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
