import { optional } from '../apis/optional.ts';
import { stateNodes } from '../core/cluster/state-node.ts';
import { type DisruptContext, disruptBy } from '../core/disruption/disrupt.ts';
import { isStillQuiet, type QuietPass, quietPass } from '../core/disruption/memory/quiet-pass.ts';
import { describeProgress } from '../core/disruption/memory/turns.ts';
import { type Method, needsInstanceTypes, type SeenPools } from '../core/disruption/method.ts';
import { ALL_METHODS } from '../core/disruption/methods/all-methods.ts';
import { recordsWithPodEvents } from '../core/disruption/pod-events.ts';
import { keepsMovesMs } from '../core/disruption/restraint/move-limits.ts';
import type { ClusterSnapshot } from '../core/model/cluster-snapshot.ts';
import type { Verdict } from '../core/model/decision.ts';
import { readOr } from '../core/observed.ts';
import { StaleRecordError } from '../ports/errors.ts';
import type { PassMemoryStore } from '../ports/node-claim-store.ts';
import { refusedDeletions } from './act/outcomes.ts';
import { type NotingRun, noteFailure, noteUnread, type RunNotes } from './act/run-notes.ts';
import { type ObservePorts, observeCluster } from './observe/observe-cluster.ts';
import { type Readings, readings, refusalsOfUnread } from './observe/readings.ts';
import { nameDecision, type RecordPorts, recordAndAct } from './run/cluster-decision.ts';
import type { CoalescedWake } from './run/coalesce-wakes.ts';
import { settledEpoch } from './run/open-decisions.ts';
import type { RunReport, WritesClaims } from './run/ports.ts';
import { type TurnPorts, takeTurn, together } from './run/take-turns.ts';
import { armWakeUp } from './run/wake-up.ts';

type DisruptionPorts = TurnPorts & ObservePorts & RecordPorts & { readonly store: PassMemoryStore };

/** What a function does, and what it keeps while it is warm. */
interface Disruption {
  readonly methods: readonly Method[];
  /** E25: the last pass without a result, by the name of the cluster. It saves work and changes no decision. */
  readonly quiet: Map<string, QuietPass>;
}

/** Nodes that are not worth their price → commands, and commands that are due → replacements and deleted NodeClaims. */
export function reconcileDisruptionBy(
  methods: readonly Method[],
): (ports: DisruptionPorts, wake: CoalescedWake) => Promise<RunReport> {
  const disruption: Disruption = { methods, quiet: new Map() };
  return async (ports, wake) => {
    const { cluster } = wake;
    const turn = await takeTurn(ports, { work: 'disruption', wake, collects: false });
    if (turn.kind === 'skipped') return turn.report;
    const reports: RunReport[] = [];
    for await (const leased of turn.runs) reports.push(await run(leased, cluster, disruption));
    return together({ work: 'disruption', cluster }, reports, turn.failures);
  };
}

/** The deployed function. */
export const reconcileDisruption = reconcileDisruptionBy(ALL_METHODS);

/** Observe, decide, record, act. */
async function run(ports: DisruptionPorts, cluster: string, disruption: Disruption): Promise<RunReport> {
  const { methods } = disruption;
  const { epoch, failures: ofEarlier } = await settledEpoch(ports, cluster);
  const log = readings();
  const instanceTypes = (pools: SeenPools): boolean => needsInstanceTypes(methods, pools);
  const observed = await observeCluster(ports, cluster, { instanceTypes, epoch, readings: log });
  const seen = await withPastMoves(ports, observed, log);
  const notes: RunNotes = { decisions: [], failures: [], due: [] };
  const noting = { ports, cluster, notes };
  // In shadow, the NodeClaim objects have the times of the last pod events.
  const noted = ports.settings.shadow ? seen : await notePodEvents(noting, seen);
  const nodePools = seen.nodePools.map(({ nodePool }) => nodePool);
  const snapshot = instanceTypes({ ...seen, nodePools }) ? await withPassMemory(ports, log, noted) : noted;
  const named = nameDecision(ports, 'disruption', snapshot);
  const names = snapshot.nodeClaims.map(({ name }) => name);
  const refused = refusedDeletions(ports, cluster, names);
  const context = { decisionId: named.id, nowMs: named.atMs, refused, taints: !ports.settings.shadow };
  const verdict = decide(disruption, snapshot, context);
  const decided = await recordAndAct(ports, snapshot, { named, verdict });
  const { passMemory: kept } = verdict;
  if (kept !== undefined)
    await noteFailure(noting, 'memory of passes', async () => ports.store.writePassMemory(cluster, kept));
  const report = { ...decided, due: [...decided.due, ...notes.due] };
  await armWakeUp(ports, 'disruption', report);
  noteUnread(noting, log);
  const progress = describeProgress(kept?.stopped ?? []);
  return {
    ...report,
    ...(progress !== '' && { progress }),
    failures: [...ofEarlier, ...report.failures, ...notes.failures],
  };
}

/** The verdict of a pass, or the last one if nothing has changed since. */
function decide({ methods, quiet }: Disruption, snapshot: ClusterSnapshot, context: DisruptContext): Verdict {
  const { cluster } = snapshot;
  const before = quiet.get(cluster);
  if (before !== undefined && isStillQuiet(before, snapshot, context)) return before.verdict;
  const verdict = disruptBy(methods, snapshot, context);
  const now = quietPass({ snapshot, context, verdict }, before);
  if (now === undefined) quiet.delete(cluster);
  else quiet.set(cluster, now);
  return verdict;
}

/** If it cannot be read, nodes are evaluated as if it were empty. */
async function withPassMemory(
  { store }: Pick<DisruptionPorts, 'store'>,
  log: Readings,
  snapshot: ClusterSnapshot,
): Promise<ClusterSnapshot> {
  const passMemory = await log.observe('the memory of passes', async () => store.readPassMemory(snapshot.cluster));
  return { ...snapshot, ...optional({ passMemory: readOr(passMemory, undefined) }) };
}

/**
 * Adds what consolidation has moved. Disruption waits if it cannot be read. *Cost:* one query if a NodePool limits moves, else
 * nothing.
 */
async function withPastMoves(ports: ObservePorts, snapshot: ClusterSnapshot, log: Readings): Promise<ClusterSnapshot> {
  const { cluster, nodePools, ignoredObjects = [] } = snapshot;
  if (keepsMovesMs(nodePools.map(({ nodePool }) => nodePool)) === undefined) return snapshot;
  const moves = await log.observe('past moves', async () => ports.store.listMoves(cluster, ports.clock.now()));
  const unread = refusalsOfUnread(cluster, [moves], 'NotRead');
  return { ...snapshot, pastMoves: readOr(moves, []), ignoredObjects: [...ignoredObjects, ...unread] };
}

/**
 * Records the time of the last pod event of nodes that have changed: `consolidateAfter` starts there. A node whose record could not
 * be written is not a candidate now, and the next run records the event.
 */
async function notePodEvents(
  work: NotingRun & { readonly ports: WritesClaims },
  snapshot: ClusterSnapshot,
): Promise<ClusterSnapshot> {
  const { store, clock } = work.ports;
  const changed = recordsWithPodEvents(stateNodes(snapshot), clock.now());
  if (changed.length === 0) return snapshot;
  const written = new Map<string, ClusterSnapshot['nodeClaims'][number]>();
  for (const record of changed) {
    written.set(record.name, record);
    try {
      const write = async () => written.set(record.name, await store.updateNodeClaim(record));
      await noteFailure(work, `NodeClaim ${record.name}`, write);
    } catch (error) {
      // Another run has changed the record.
      if (!(error instanceof StaleRecordError)) throw error;
    }
  }
  return { ...snapshot, nodeClaims: snapshot.nodeClaims.map((record) => written.get(record.name) ?? record) };
}
