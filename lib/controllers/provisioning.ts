import type { Pod } from '../apis/kubernetes.ts';
import { optional } from '../apis/optional.ts';
import { gaugesOfPending } from '../core/cluster/gauges.ts';
import type { PodNomination } from '../core/cluster/nominated-node.ts';
import { RENOMINATED_BEFORE_MS } from '../core/cluster/nomination.ts';
import { withoutRivalLaunches } from '../core/cluster/rival-launches.ts';
import { refusingPools, unreadyPools } from '../core/problems/unready-pools.ts';
import { waitingPods } from '../core/problems/waiting-pods.ts';
import { awaitedNominations, withdrawnNominations } from '../core/provisioning/follow-plan/pod-nominations.ts';
import { lacksCatalogue } from '../core/provisioning/provision.ts';
import type { NodeClaimList } from '../ports/node-claim-store.ts';
import { nominatePods } from './act/nominate-pods.ts';
import { renominatePods } from './act/renominate-pods.ts';
import { failuresToRead, notReported } from './act/run-notes.ts';
import { type ObservePorts, observeCluster } from './observe/observe-cluster.ts';
import { readings } from './observe/readings.ts';
import { sharedRead } from './observe/shared-read.ts';
import { decide, keepUnusedLaunches, type LaunchesPorts } from './provisioning/decide.ts';
import { goneNodes } from './provisioning/gone-nodes.ts';
import { observeNeed } from './provisioning/observe-need.ts';
import { type RecordPorts, recordAndAct } from './run/cluster-decision.ts';
import type { CoalescedWake } from './run/coalesce-wakes.ts';
import { settledEpoch } from './run/open-decisions.ts';
import type { RunReport, WritesStatus } from './run/ports.ts';
import { type TurnPorts, takeTurn, together } from './run/take-turns.ts';
import { armWakeUp, sendWakes } from './run/wake-up.ts';
import { syncBufferStatus } from './status/sync-buffer-status.ts';

type ProvisioningPorts = TurnPorts & ObservePorts & RecordPorts & WritesStatus & LaunchesPorts;

/** Pending pods → NodeClaims, a batch at a time. */
export async function reconcileProvisioning(ports: ProvisioningPorts, wake: CoalescedWake): Promise<RunReport> {
  const { cluster } = wake;
  let seen: Seen | undefined;
  const look = async (): Promise<RunReport | undefined> => {
    const looked = await lookAt(ports, cluster);
    if (looked.kind === 'rest') return looked.report;
    ({ seen } = looked);
    return undefined;
  };
  const turn = await takeTurn(ports, { work: 'provisioning', wake, collects: true, look });
  if (turn.kind === 'skipped') return skipped(ports, wake, turn.report);
  const reports: RunReport[] = [];
  for await (const leased of turn.runs) {
    // The first run goes on where the look has ended. Another one is for wakes that came meanwhile.
    const rest = reports.length === 0 ? undefined : await look();
    reports.push(rest ?? (await run(leased, wake, seen)));
  }
  return together({ work: 'provisioning', cluster }, reports, turn.failures);
}

/** A run that answers the wakes follows, or is under way. Pods lose their nominations meanwhile (B66). */
async function skipped(ports: ProvisioningPorts, wake: CoalescedWake, report: RunReport): Promise<RunReport> {
  if (report.skipped === undefined || report.skipped === 'answered') return report;
  return { ...report, failures: [...report.failures, ...(await renominatePods(ports, wake))] };
}

/** What the look has read: a decision on it is recorded only if the epoch has not moved since. */
interface Seen {
  readonly epoch: number;
  readonly claims: NodeClaimList;
}

type Looked =
  | { readonly kind: 'rest'; readonly report: RunReport }
  /** @default an earlier decision must be finished first */
  | { readonly kind: 'needed'; readonly seen?: Seen };

/**
 * Most wakes need no decision: nothing is pending, or the nodes of all pending pods start already. Then only their nominations are
 * written.
 */
async function lookAt(ports: ProvisioningPorts, cluster: string): Promise<Looked> {
  // Read first: a decision that another run records after this read invalidates the decision of this run.
  const epoch = await ports.store.readEpoch(cluster);
  // Before the NodeClaims: those of a decision that is closed meanwhile would be missing.
  if ((await ports.store.openDecisions(cluster)).length > 0) return { kind: 'needed' };
  const log = readings();
  const claims = sharedRead(async () => ports.store.readNodeClaims(cluster));
  const listClaims = async (): Promise<NodeClaimList['records']> => (await claims()).records;
  const need = await observeNeed(ports, listClaims, log);
  if (need.kind === 'decision') return { kind: 'needed', seen: { epoch, claims: await claims() } };
  const pods = [...need.awaited.values()].flat();
  const gauges = gaugesOfPending(pods, ports.clock.now());
  const gone = await goneNodes(ports, { pods, records: await listClaims() }, log);
  const ofNominations = await nominate(ports, cluster, { pods, planned: awaitedNominations(need.awaited, gone) });
  const failures = [...ofNominations, ...failuresToRead({ ports, cluster }, log)];
  return { kind: 'rest', report: { controller: 'provisioning', cluster, decisions: [], due: [], gauges, failures } };
}

/** Observe, decide, record, act. @param seen what the look has read. @default it is read again */
async function run(
  ports: ProvisioningPorts,
  { cluster, reason }: CoalescedWake,
  seen: Seen | undefined,
): Promise<RunReport> {
  const earlier = seen === undefined ? await settledEpoch(ports, cluster) : { ...seen, failures: [], decisions: [] };
  const { epoch } = earlier;
  const log = readings();
  const unread = (): readonly Error[] => failuresToRead({ ports, cluster }, log);
  const view = {
    instanceTypes: () => true,
    epoch,
    readings: log,
    nominatedForMs: RENOMINATED_BEFORE_MS,
    ...optional({ claims: seen?.claims }),
  };
  const observed = await observeCluster(ports, cluster, view);
  const world = ports.settings.shadow ? withoutRivalLaunches(observed) : observed;
  // A fresh deployment does not wait for the schedule. A run that waits for the catalogue does not request it again.
  if (lacksCatalogue(world) && reason !== 'due') {
    await ports.messages.wake('catalogue', { cluster, reason: 'missing' });
  }
  const decided = await decide(ports, world, log);
  const { snapshot, named, verdict } = decided;
  const { report, carriedOut } = await recordAndAct(ports, snapshot, { named, verdict });
  const ofLaunches = await keepUnusedLaunches(ports, decided);
  await armWakeUp(ports, 'provisioning', report);
  const { failures, decisions } = report;
  const { pods } = snapshot;
  const ofNominations = await nominate(ports, cluster, { pods, planned: verdict.podNominations });
  const ofBuffers = notReported(
    { ports, cluster },
    await syncBufferStatus(ports, { snapshot, decisions: carriedOut }, log),
  );
  const nodePools = snapshot.nodePools.map(({ nodePool }) => nodePool);
  return {
    ...report,
    problems: [
      ...waitingPods(pods, verdict.schedule, named.atMs),
      ...unreadyPools(nodePools, refusingPools(verdict.schedule), named.atMs),
    ],
    decisions: [...earlier.decisions, ...decisions],
    failures: [...earlier.failures, ...failures, ...ofLaunches, ...ofNominations, ...ofBuffers, ...unread()],
  };
}

/** B66: last, because nothing depends on it. @param pods those whose nominations are removed while the setting is off */
async function nominate(
  ports: ProvisioningPorts,
  cluster: string,
  { pods, planned }: { readonly pods: readonly Pod[]; readonly planned: readonly PodNomination[] },
): Promise<readonly Error[]> {
  const { shadow, nominatePods: isOn } = ports.settings;
  if (shadow) return [];
  const { failures, hasMore } = await nominatePods(ports, cluster, isOn ? planned : withdrawnNominations(pods));
  if (!hasMore) return failures;
  return [...failures, ...(await sendWakes(ports, [['provisioning', { cluster, reason: 'nominations' }]]))];
}
