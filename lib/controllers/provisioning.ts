import type { PodNomination } from '../core/cluster/nominated-node.ts';
import { RENOMINATED_BEFORE_MS } from '../core/cluster/nomination.ts';
import { withoutRivalLaunches } from '../core/cluster/rival-launches.ts';
import type { ClusterSnapshot } from '../core/model/cluster-snapshot.ts';
import { waitingPods } from '../core/problems/waiting-pods.ts';
import { withdrawnNominations } from '../core/provisioning/pod-nominations.ts';
import { lacksCatalogue, provision } from '../core/provisioning/provision.ts';
import { nominatePods } from './act/nominate-pods.ts';
import { needsDecision } from './act/pass-on-tick.ts';
import { renominatePods } from './act/renominate-pods.ts';
import { failuresToRead, notReported } from './act/run-notes.ts';
import { type ObservePorts, observeCluster } from './observe/observe-cluster.ts';
import { readings } from './observe/readings.ts';
import { nameDecision, type RecordPorts, recordAndAct } from './run/cluster-decision.ts';
import type { CoalescedWake } from './run/coalesce-wakes.ts';
import { settledEpoch } from './run/open-decisions.ts';
import type { RunReport, WritesStatus } from './run/ports.ts';
import { type TurnPorts, takeTurn, together } from './run/take-turns.ts';
import { armWakeUp, sendWakes } from './run/wake-up.ts';
import { syncBufferStatus } from './status/sync-buffer-status.ts';

type ProvisioningPorts = TurnPorts & ObservePorts & RecordPorts & WritesStatus;

/** Pending pods → NodeClaims, a batch at a time. */
export async function reconcileProvisioning(ports: ProvisioningPorts, wake: CoalescedWake): Promise<RunReport> {
  const { cluster } = wake;
  const turn = await takeTurn(ports, { work: 'provisioning', wake, collects: true });
  if (turn.kind === 'skipped') return skipped(ports, wake, turn.report);
  const reports: RunReport[] = [];
  for await (const leased of turn.runs) reports.push(await run(leased, wake));
  return together({ work: 'provisioning', cluster }, reports, turn.failures);
}

/** A run that answers the wakes follows, or is under way. Pods lose their nominations meanwhile (B66). */
async function skipped(ports: ProvisioningPorts, wake: CoalescedWake, report: RunReport): Promise<RunReport> {
  if (report.skipped === 'answered') return report;
  return { ...report, failures: [...report.failures, ...(await renominatePods(ports, wake))] };
}

/** Observe, decide, record, act. A cheap read comes first, because most wakes need no decision. */
async function run(ports: ProvisioningPorts, { cluster, reason }: CoalescedWake): Promise<RunReport> {
  // Read first: a decision that another run records after this read invalidates the decision of this run.
  const { epoch, failures: ofEarlier } = await settledEpoch(ports, cluster);
  const log = readings();
  const unread = (): readonly Error[] => failuresToRead({ ports, cluster }, log);
  if (!(await needsDecision(ports, async () => ports.store.listNodeClaims(cluster), log))) {
    const failures = [...ofEarlier, ...unread()];
    return { controller: 'provisioning', cluster, decisions: [], due: [], gauges: { PendingPods: 0 }, failures };
  }
  const view = { instanceTypes: () => true, epoch, readings: log, nominatedForMs: RENOMINATED_BEFORE_MS };
  const observed = await observeCluster(ports, cluster, view);
  const snapshot = ports.settings.shadow ? withoutRivalLaunches(observed) : observed;
  // A fresh deployment does not wait for the schedule. A run that waits for the catalogue does not request it again.
  if (lacksCatalogue(snapshot) && reason !== 'due') {
    await ports.messages.wake('catalogue', { cluster, reason: 'missing' });
  }
  const named = nameDecision(ports, 'provisioning', snapshot);
  const verdict = provision(snapshot, { decisionId: named.id, nowMs: named.atMs });
  const report = await recordAndAct(ports, snapshot, { named, verdict });
  await armWakeUp(ports, 'provisioning', report);
  const { failures, decisions } = report;
  const ofNominations = await nominate(ports, snapshot, verdict.podNominations);
  const ofBuffers = notReported({ ports, cluster }, await syncBufferStatus(ports, { snapshot, decisions }, log));
  const problems = waitingPods(snapshot.pods, verdict.schedule, named.atMs);
  return { ...report, problems, failures: [...ofEarlier, ...failures, ...ofNominations, ...ofBuffers, ...unread()] };
}

/** B66: last, because nothing depends on it. */
async function nominate(
  ports: ProvisioningPorts,
  { cluster, pods }: ClusterSnapshot,
  planned: readonly PodNomination[],
): Promise<readonly Error[]> {
  const { shadow, nominatePods: isOn } = ports.settings;
  if (shadow) return [];
  const { failures, hasMore } = await nominatePods(ports, cluster, isOn ? planned : withdrawnNominations(pods));
  if (!hasMore) return failures;
  return [...failures, ...(await sendWakes(ports, [['provisioning', { cluster, reason: 'nominations' }]]))];
}
