import { MINUTE_MS, SECOND_MS } from '../apis/formats/time.ts';
import { gaugesOfNodes } from '../core/cluster/gauges.ts';
import { type Due, pollAfter, requeueAt } from '../core/model/decision.ts';
import { instanceOf, type NodeClaimRecord } from '../core/model/node-claim-record.ts';
import { nameDue } from '../core/node-claim/expected-node.ts';
import { decideLifecycle } from '../core/node-claim/lifecycle.ts';
import { readOr } from '../core/observed.ts';
import { noteRefusedLaunch } from './act/launch-refusals.ts';
import { noteFailure, noteUnread, notReported } from './act/run-notes.ts';
import { syncWebhook } from './install/sync-webhook.ts';
import type { ClusterWork } from './instances/instance-work.ts';
import { repairNodes } from './instances/repair-nodes.ts';
import { requestCatalogue } from './instances/request-catalogue.ts';
import { syncInstances } from './instances/sync-instances.ts';
import { findClaims } from './observe/find-claims.ts';
import { nodeOfInstance } from './observe/find-observed.ts';
import { type ObservedClaims, observeWorld, viewOf } from './observe/observe-claims.ts';
import { type LaunchContextPorts } from './observe/observe-launch-context.ts';
import { announceRefusals } from './run/announce-refusals.ts';
import { applyVerdict, type ObjectRun, type VerdictPorts } from './run/apply-verdict.ts';
import type { CoalescedWake } from './run/coalesce-wakes.ts';
import { eachClaim } from './run/each-claim.ts';
import { onFreshState } from './run/fresh-state.ts';
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
import { showRecord } from './status/show-record.ts';
import { syncNodeClaimStatus } from './status/sync-node-claim-status.ts';
import { syncNodeClassStatus } from './status/sync-node-class-status.ts';
import { syncNodePoolStatus } from './status/sync-node-pool-status.ts';
import { syncOverlayStatus } from './status/sync-overlay-status.ts';

/** The number of launches that one invocation tries for a claim. The next invocation continues. */
const MAX_STEPS = 12;

/** What each tick does beside the claims. Each step is repeated by the next tick, so a failure does not stop the others. */
const SYNCS: readonly (readonly [string, (work: ClusterWork<LifecyclePorts>) => Promise<readonly Error[]>])[] = [
  ['sync NodeClaims', syncNodeClaimStatus],
  ['sync instances', syncInstances],
  ['request the catalogue', requestCatalogue],
  ['sync EC2NodeClasses', syncNodeClassStatus],
  ['sync NodePools', syncNodePoolStatus],
  ['sync NodeOverlays', syncOverlayStatus],
];

type LifecyclePorts = VerdictPorts &
  LaunchContextPorts &
  ReadsCluster &
  WritesStatus &
  InspectsInstances &
  ManagesNodeClassResources &
  HasSettings &
  MayHaveWebhook;

/** NodeClaims → instances → registered and initialized nodes. Deletes NodeClaims that do not get there in time. */
export async function reconcileLifecycle(ports: LifecyclePorts, wake: CoalescedWake): Promise<RunReport> {
  const { cluster } = wake;
  const notes: ObjectRun['notes'] = { decisions: [], due: [], failures: [] };
  const run: ObjectRun<LifecyclePorts> = { ports, controller: 'lifecycle', cluster, notes };
  const { records, failures: unreadable } = await findClaims(ports, wake);
  if (records.length === 0 && wake.nodeClaim !== undefined) {
    return { controller: 'lifecycle', cluster, decisions: [], due: [], gauges: {}, failures: unreadable };
  }
  const world = await observeWorld(ports, { cluster, records });
  const each = await eachClaim(records, ports.clock.now(), async (known) => {
    const due = await onFreshState(ports, { record: known, seen: world }, async (record) =>
      advance(run, record, world),
    );
    return due ?? [];
  });
  const due = [...each.due];
  const isWhole = wake.nodeClaim === undefined;
  if (isWhole) {
    const work = { ...run, records, world };
    const repairs = await repairNodes(work);
    due.push(...repairs.due);
    notes.failures.push(...notReported(run, repairs.failures));
    for (const [subject, sync] of SYNCS) {
      await noteFailure(run, subject, async () => notes.failures.push(...notReported(run, await sync(work))));
    }
    notes.failures.push(...(await syncWebhook(ports, wake)));
  }
  if (world.named.size > 0)
    notes.failures.push(...(await sendWakes(ports, [['provisioning', { cluster, reason: 'named' }]])));
  noteUnread(run, world.readings);
  const again = conflictRetry(wake, each.hasConflict, ports.clock.now());
  due.push(...notes.due, ...again.due);
  await armWakeUp(ports, 'lifecycle', { ...again, cluster, due });
  const failures = [...notReported(run, each.failures), ...notes.failures];
  const gauges = isWhole && world.nodes.kind === 'read' ? gaugesOfNodes(world.nodes.value, records) : {};
  return { controller: 'lifecycle', cluster, decisions: notes.decisions, due, gauges, failures };
}

/** Advances a claim step by step. After a refused launch, the next-best offering is tried in the same invocation. */
async function advance(
  run: ObjectRun<VerdictPorts & LaunchContextPorts & HasSettings>,
  known: NodeClaimRecord,
  world: ObservedClaims,
): Promise<readonly Due[]> {
  const { ports, cluster } = run;
  let record = known;
  let due: readonly Due[] = [];
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const view = await viewOf(ports, record, world);
    const nowMs = ports.clock.now();
    // The node of a launched claim decides everything.
    if (view.kind === 'unread') return [pollAfter(nowMs)];
    const verdict = decideLifecycle(view.value, nowMs);
    ({ due } = verdict);
    const { actions, blocked, whenDone } = verdict;
    const { name, version } = record;
    const changed = verdict.record === record ? undefined : verdict.record;
    if (verdict.record.launch.kind !== 'launched') world.inFlight.set(name, verdict.record);
    const seen = { nodes: readOr(world.nodes, []), nodeClaims: readOr(world.mirrors, []) };
    const subject = { name, version, atMs: nowMs, seen };
    const isApplied = await applyVerdict(run, subject, { record: changed, actions, blocked, whenDone });
    noteRefusedLaunch(run, record, verdict.news ?? []);
    await announceRefusals(run, subject, verdict.news ?? []);
    // What may succeed soon is repeated by the notes of the run, and the rest by the next tick.
    if (!isApplied) due = due.filter(({ atMs }) => atMs >= nowMs + MINUTE_MS);
    if (isApplied && verdict.isNamed === true) world.named.add(name);
    if (!isApplied || (actions.length === 0 && changed === undefined)) break;
    record = (await ports.store.readNodeClaim(cluster, name)) ?? verdict.record;
    if (record.launch.kind === 'launched' || record.deletion !== undefined) break;
  }
  const shown = record;
  await noteFailure(run, `show NodeClaim ${record.name}`, async () => showRecord(ports, shown, world));
  const wasLaunched = known.launch.kind === 'launched';
  const isMet = !wasLaunched && hasJoined(record, world);
  const nowMs = ports.clock.now();
  if (isMet || (isRefused(record) && due.length === 0)) return [requeueAt(nowMs + SECOND_MS)];
  return wasLaunched ? due : [...due, ...nameDue(record, nowMs)];
}

/** The node joined before the outcome of the launch was known, so no event of the node triggers a run. */
function hasJoined(record: NodeClaimRecord, { nodes }: ObservedClaims): boolean {
  return nodeOfInstance(readOr(nodes, []), instanceOf(record)) !== undefined;
}

/** Whether a launch was refused and the next invocation tries other offerings. */
function isRefused({ launch, deletion }: NodeClaimRecord): boolean {
  return launch.kind === 'refused' && deletion === undefined;
}
