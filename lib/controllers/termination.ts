import { MINUTE_MS, SECOND_MS } from '../apis/formats/time.ts';
import { TERMINATION_FINALIZER } from '../apis/labels.ts';
import { optional } from '../apis/optional.ts';
import { isDisrupted } from '../core/cluster/state-node.ts';
import { type Action, type Decision, type Due, pollAfter } from '../core/model/decision.ts';
import type { NodeClaimRecord } from '../core/model/node-claim-record.ts';
import { decideTermination, type TerminationView } from '../core/node-claim/termination.ts';
import { readOr } from '../core/observed.ts';
import { isConflict, PortError } from '../ports/errors.ts';
import type { Wake } from '../ports/messages.ts';
import { noteFailure, noteUnread, notReported } from './act/run-notes.ts';
import { explainEvictions } from './drain/explain-evictions.ts';
import { type FoundClaims, findClaims } from './observe/find-claims.ts';
import {
  type ObservedTermination,
  observeTermination,
  type TerminationViewPorts,
  terminationViewOf,
} from './observe/observe-termination.ts';
import { announceRefusals } from './run/announce-refusals.ts';
import { applyVerdict, type ObjectRun, type VerdictPorts } from './run/apply-verdict.ts';
import { reasonsOf } from './run/coalesce-wakes.ts';
import { type Aside, eachClaim } from './run/each-claim.ts';
import { expectUnchanged, onFreshState } from './run/fresh-state.ts';
import type { HasClock, InspectsInstances, ReadsClaims, ReadsZonalShifts, RunReport } from './run/ports.ts';
import { armWakeUp, conflictRetry, wakesTogether } from './run/wake-up.ts';

type TerminationPorts = VerdictPorts & TerminationViewPorts & InspectsInstances & ReadsZonalShifts;

/** Deleted NodeClaims → drained nodes → terminated instances → released records. */
export async function reconcileTermination(ports: TerminationPorts, wake: Wake): Promise<RunReport> {
  const { cluster, conflicts } = wake;
  const readAtMs = ports.clock.now();
  const found = (await isIdleTick(ports, wake)) ? NONE : await findClaims(ports, wake);
  const records = found.records.filter((record) => record.deletion !== undefined);
  const world = await observeTermination(ports, cluster, records);
  const notes: ObjectRun['notes'] = { decisions: [], due: [], failures: [], instances: new Map() };
  const { messages: together, sendRest } = wakesTogether(ports);
  const messages = { ...together, publish: async (decision: Decision) => ports.messages.publish(decision) };
  const run: ObjectRun<TerminationPorts> = { ports: { ...ports, messages }, controller: 'termination', cluster, notes };
  const each = await eachClaim(records, ports, async (known, aside) => {
    const next = await onFreshState(ports, { record: known, seen: world, conflicts }, async (record) =>
      terminate(run, { record, world, aside, readAtMs }),
    );
    return next ?? [];
  });
  notes.failures.push(...(await sendRest()));
  noteUnread(run, world.readings);
  const again = conflictRetry(wake, each.hasConflict, ports.clock.now());
  const due = [...each.due, ...notes.due, ...again.due];
  await armWakeUp(ports, 'termination', { ...again, cluster, due });
  const failures = [...found.failures, ...notReported(run, each.failures), ...notes.failures];
  const { decisions, instances } = notes;
  return { controller: 'termination', cluster, decisions, ...optional({ instances }), due, gauges: {}, failures };
}

const NONE: FoundClaims = { records: [], failures: [] };
/** How often a tick reads all claims, for claims whose deletion was recorded without a mark. */
const WHOLE_EVERY_MINUTES = 5;

/** Whether the run is for a tick alone, and no claim is marked as being deleted: a large cluster has thousands of claims. */
async function isIdleTick({ store, clock }: ReadsClaims & HasClock, wake: Wake): Promise<boolean> {
  const { cluster, nodeClaim } = wake;
  if (nodeClaim !== undefined || reasonsOf(wake).some((one) => one !== 'tick')) return false;
  if (Math.floor(clock.now() / MINUTE_MS) % WHOLE_EVERY_MINUTES === 0) return false;
  try {
    return !(await store.hasDeletedClaims(cluster));
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    // The list of claims is the same kind of call, and its failure is reported.
    return false;
  }
}

interface DeletedClaim {
  readonly record: NodeClaimRecord;
  readonly world: ObservedTermination;
  readonly aside: Aside;
  /** When the run began to read. */
  readonly readAtMs: number;
}

async function terminate(
  run: ObjectRun<VerdictPorts & TerminationViewPorts>,
  { record, world, aside, readAtMs }: DeletedClaim,
): Promise<readonly Due[]> {
  const { ports } = run;
  const { name, version } = record;
  const view = await terminationViewOf(ports, record, world);
  const nowMs = ports.clock.now();
  const verdict = decideTermination(view, nowMs);
  const { actions, blocked, due, whenDone } = verdict;
  // Another run may have evicted pods with volumes since the record was read. The record alone says that their volumes are awaited.
  if (nowMs > readAtMs + SECOND_MS && actions.some(({ kind }) => kind === 'terminate-instance'))
    await noteFailure(run, `read NodeClaim ${name} again`, async () => expectUnchanged(ports, record));
  await requestDeletions(run, view, actions);
  const node = readOr(view.node, undefined);
  const seen = { record, nodes: node === undefined ? [] : [node], pods: readOr(view.pods, []) };
  const changed = verdict.record === record ? undefined : verdict.record;
  const subject = { name, version, atMs: nowMs, seen, claim: record, aside };
  try {
    await applyVerdict(run, subject, { record: changed, actions, blocked, whenDone });
  } catch (error) {
    // A node that others change all the time does not delay the drain.
    if (isConflict(error)) run.notes.due.push(...due);
    throw error;
  }
  await announceRefusals(run, { name, version, atMs: nowMs, seen }, verdict.news ?? []);
  const { pods } = view;
  if (pods.kind === 'unread') return due;
  const drained = { record, pods: pods.value, budgets: world.budgets, seen };
  const polls: Due[] = [];
  await noteFailure(run, `explain the refused evictions of NodeClaim ${name}`, async () =>
    polls.push(...(await explainEvictions(run, drained, nowMs))),
  );
  return [...due, ...polls];
}

/**
 * D17: deletes the NodeClaim object and the node of a deleted claim. Kerf's finalizers keep both until the termination is
 * complete. The node is deleted after it was cordoned, so that the two writes do not conflict. The drain does not need either
 * deletion, so one that is refused or has a conflict does not delay it: the next poll repeats it.
 */
async function requestDeletions(
  run: ObjectRun,
  { record, node: observed }: TerminationView,
  actions: readonly Action[],
): Promise<void> {
  const { cluster } = run.ports;
  const { drainStartedAtMs, terminateRequestedAtMs, terminationRefused } = record.deletion ?? {};
  const hasBegun = (drainStartedAtMs ?? terminateRequestedAtMs ?? terminationRefused) !== undefined;
  // The release deletes the object too.
  if (!hasBegun && !actions.some(({ kind }) => kind === 'release-node-claim')) {
    await requestDeletion(run, `delete NodeClaim ${record.name}`, async () => cluster.deleteNodeClaim(record.name));
  }
  const node = readOr(observed, undefined);
  const { deletionTimestamp, finalizers = [], name = '' } = node?.metadata ?? {};
  const isCordoned = node !== undefined && isDisrupted(node);
  if (deletionTimestamp !== undefined || !isCordoned || !finalizers.includes(TERMINATION_FINALIZER)) return;
  await requestDeletion(run, `delete Node ${name}`, async () => cluster.deleteNode(name));
}

async function requestDeletion(run: ObjectRun, subject: string, request: () => Promise<void>): Promise<void> {
  try {
    await noteFailure(run, subject, request);
  } catch (error) {
    if (!isConflict(error)) throw error;
    run.notes.due.push(pollAfter(run.ports.clock.now()));
  }
}
