import { stateNodes } from '../core/cluster/state-node.ts';
import { disruptBy, METHODS } from '../core/disruption/disrupt.ts';
import { type Method, needsInstanceTypes, type SeenPools } from '../core/disruption/method.ts';
import { recordsWithPodEvents } from '../core/disruption/pod-events.ts';
import type { ClusterSnapshot } from '../core/model/cluster-snapshot.ts';
import { StaleRecordError } from '../ports/errors.ts';
import { refusedDeletions } from './act/outcomes.ts';
import { type NotingRun, noteFailure, noteUnread, type RunNotes } from './act/run-notes.ts';
import { type ObservePorts, observeCluster } from './observe/observe-cluster.ts';
import { readings } from './observe/readings.ts';
import { nameDecision, type RecordPorts, recordAndAct } from './run/cluster-decision.ts';
import type { CoalescedWake } from './run/coalesce-wakes.ts';
import { settledEpoch } from './run/open-decisions.ts';
import type { RunReport, WritesClaims } from './run/ports.ts';
import { type TurnPorts, takeTurn, together } from './run/take-turns.ts';
import { armWakeUp } from './run/wake-up.ts';

type DisruptionPorts = TurnPorts & ObservePorts & RecordPorts;

/** Nodes that are not worth their price → commands, and commands that are due → replacements and deleted NodeClaims. */
export async function reconcileDisruption(ports: DisruptionPorts, wake: CoalescedWake): Promise<RunReport> {
  return reconcileDisruptionBy(METHODS)(ports, wake);
}

/** The same with other methods. */
export function reconcileDisruptionBy(
  methods: readonly Method[],
): (ports: DisruptionPorts, wake: CoalescedWake) => Promise<RunReport> {
  return async (ports, wake) => {
    const { cluster } = wake;
    const turn = await takeTurn(ports, { work: 'disruption', wake, collects: false });
    if (turn.kind === 'skipped') return turn.report;
    const reports: RunReport[] = [];
    for await (const leased of turn.runs) reports.push(await run(leased, cluster, methods));
    return together({ work: 'disruption', cluster }, reports, turn.failures);
  };
}

/** Observe, decide, record, act. */
async function run(ports: DisruptionPorts, cluster: string, methods: readonly Method[]): Promise<RunReport> {
  const { epoch, failures: ofEarlier } = await settledEpoch(ports, cluster);
  const log = readings();
  const instanceTypes = (pools: SeenPools): boolean => needsInstanceTypes(methods, pools);
  const seen = await observeCluster(ports, cluster, { instanceTypes, epoch, readings: log });
  const notes: RunNotes = { decisions: [], failures: [], due: [] };
  const noting = { ports, cluster, notes };
  // In shadow, the NodeClaim objects have the times of the last pod events.
  const snapshot = ports.settings.shadow ? seen : await notePodEvents(noting, seen);
  const named = nameDecision(ports, 'disruption', snapshot);
  const names = snapshot.nodeClaims.map(({ name }) => name);
  const refused = refusedDeletions(ports, cluster, names);
  const context = { decisionId: named.id, nowMs: named.atMs, refused, taints: !ports.settings.shadow };
  const verdict = disruptBy(methods, snapshot, context);
  const report = await recordAndAct(ports, snapshot, { named, verdict });
  await armWakeUp(ports, 'disruption', report);
  noteUnread(noting, log);
  return { ...report, failures: [...ofEarlier, ...report.failures, ...notes.failures] };
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
