import { claimsDigest } from '../core/cluster/claims-digest.ts';
import type { DisruptContext } from '../core/disruption/disrupt.ts';
import { describeProgress } from '../core/disruption/memory/turns.ts';
import { type Method, needsInstanceTypes, type SeenPools } from '../core/disruption/method.ts';
import { ALL_METHODS } from '../core/disruption/methods/all-methods.ts';
import type { ClusterSnapshot } from '../core/model/cluster-snapshot.ts';
import type { NodeClaimList, PassMemoryStore } from '../ports/node-claim-store.ts';
import { withPassMemory, withPastMoves } from './act/disruption-memory.ts';
import { needlessTicks } from './act/needless-ticks.ts';
import { notePodEvents } from './act/note-pod-events.ts';
import { refusedDeletions } from './act/outcomes.ts';
import { type NotingRun, noteFailure, noteUnread } from './act/run-notes.ts';
import { type Disruption, decide, isQuiet, mayBeQuiet } from './disruption/quiet-passes.ts';
import { changeSoftTaints, refusedTaints } from './disruption/soft-taints.ts';
import { type ObservePorts, observeCluster } from './observe/observe-cluster.ts';
import { type Readings, readings } from './observe/readings.ts';
import { type NamedDecision, nameDecision, type RecordPorts, recordAndAct } from './run/cluster-decision.ts';
import type { CoalescedWake } from './run/coalesce-wakes.ts';
import { settledEpoch } from './run/open-decisions.ts';
import type { RunReport } from './run/ports.ts';
import { type TurnPorts, takeTurn, together } from './run/take-turns.ts';
import { armWakeUp } from './run/wake-up.ts';

type DisruptionPorts = TurnPorts & ObservePorts & RecordPorts & { readonly store: PassMemoryStore };

/** Nodes that are not worth their price → commands, and commands that are due → replacements and deleted NodeClaims. */
export function reconcileDisruptionBy(
  methods: readonly Method[],
): (ports: DisruptionPorts, wake: CoalescedWake) => Promise<RunReport> {
  const disruption: Disruption = { methods, quiet: new Map(), claims: new Map() };
  const isNeedless = needlessTicks();
  return async (ports, wake) => {
    const { cluster } = wake;
    if (isNeedless(wake, ports.clock.now()))
      return { ...together({ work: 'disruption', cluster }, []), skipped: 'answered' };
    const mayRest = mayBeQuiet(disruption, wake);
    const quiet = mayRest ? await run(ports, wake, { disruption, claims: 'quiet' }) : undefined;
    if (quiet?.kind === 'run') return quiet.report;
    const ofLook = quiet?.failures ?? [];
    const turn = await takeTurn(ports, { work: 'disruption', wake, collects: false });
    if (turn.kind === 'skipped') return { ...turn.report, failures: [...ofLook, ...turn.report.failures] };
    const reports: RunReport[] = [];
    for await (const leased of turn.runs) {
      const one = await run(leased, wake, { disruption, claims: mayRest ? 'new' : 'kept' });
      if (one.kind === 'run') reports.push(one.report);
    }
    return together({ work: 'disruption', cluster }, reports, [...ofLook, ...turn.failures]);
  };
}

/** The deployed function. */
export const reconcileDisruption = reconcileDisruptionBy(ALL_METHODS);

type Run =
  | { readonly kind: 'run'; readonly report: RunReport }
  /** Something has changed, and nothing was decided. The failures were not reported before, and are not reported again. */
  | { readonly kind: 'changed'; readonly failures: readonly Error[] };

/**
 * Observe, decide, record, act. Most ticks change nothing, so they look without a lease, whose two writes would be half of what they
 * write. *Shape:* `changed` only if `claims` is `quiet`: then a run with the lease looks again.
 */
async function run(
  ports: DisruptionPorts,
  wake: CoalescedWake,
  { disruption, claims }: { readonly disruption: Disruption; readonly claims: 'quiet' | 'kept' | 'new' },
): Promise<Run> {
  const { cluster } = wake;
  const { epoch, failures: ofEarlier } = await settledEpoch(ports, cluster);
  const kept = disruption.claims.get(cluster);
  // With the claims of the last look, only the last verdict is given again. Everything else is decided on a new list.
  const isKept = claims !== 'new' && kept !== undefined && kept.digest === wake.claimsDigest;
  const noting: NotingRun = { ports, cluster, notes: { decisions: [], failures: [], due: [] } };
  const of = { noting, epoch, disruption };
  let look = await lookAt(ports, { ...of, ...(isKept && { claims: kept.claims }) });
  if (isKept && !isQuiet(disruption.quiet, look)) {
    if (claims === 'quiet') return { kind: 'changed', failures: [...ofEarlier, ...noting.notes.failures] };
    look = await lookAt(ports, of);
  }
  const { snapshot, context, named, log } = look;
  const verdict = decide(disruption, snapshot, context);
  const { refused = new Set(), refusedTaints: untouched = new Set(), taints = true } = context;
  const read = { refused: [...refused].toSorted(), refusedTaints: [...untouched].toSorted(), taints };
  const decided = await recordAndAct(ports, snapshot, { named, verdict, context: read });
  const { passMemory, softTaints = [] } = verdict;
  if (passMemory !== undefined)
    await noteFailure(noting, 'memory of passes', async () => ports.store.writePassMemory(cluster, passMemory));
  const { notes } = noting;
  const report = { ...decided, due: [...decided.due, ...notes.due] };
  await armWakeUp(ports, 'disruption', report);
  // They are only preferences: if the function is cut off here, nothing is lost.
  notes.failures.push(...(await changeSoftTaints(ports, cluster, softTaints)));
  noteUnread(noting, log);
  const progress = describeProgress(passMemory?.stopped ?? []);
  const failures = [...ofEarlier, ...report.failures, ...notes.failures];
  return { kind: 'run', report: { ...report, ...(progress !== '' && { progress }), failures } };
}

interface Look {
  readonly snapshot: ClusterSnapshot;
  readonly context: DisruptContext;
  readonly named: NamedDecision;
  readonly log: Readings;
}

/** What the function sees of the cluster. @param claims the NodeClaims, if they are not read again */
async function lookAt(
  ports: DisruptionPorts,
  of: {
    /** Of the run, which may look twice. */
    readonly noting: NotingRun;
    readonly epoch: number;
    readonly disruption: Disruption;
    readonly claims?: NodeClaimList;
  },
): Promise<Look> {
  const { noting, epoch, disruption } = of;
  const { cluster } = noting;
  const log = readings();
  const instanceTypes = (pools: SeenPools): boolean => needsInstanceTypes(disruption.methods, pools);
  const claims = of.claims ?? (await ports.store.readNodeClaims(cluster));
  const { records, unreadable } = claims;
  if (unreadable.length > 0) disruption.claims.delete(cluster);
  else disruption.claims.set(cluster, { claims, digest: claimsDigest(records) });
  const observed = await observeCluster(ports, cluster, { instanceTypes, epoch, readings: log, claims });
  const seen = await withPastMoves(ports, observed, log);
  // In shadow, the NodeClaim objects have the times of the last pod events.
  const noted = ports.settings.shadow ? seen : await notePodEvents({ ...noting, ports }, seen);
  const nodePools = seen.nodePools.map(({ nodePool }) => nodePool);
  const snapshot = instanceTypes({ ...seen, nodePools }) ? await withPassMemory(ports, log, noted) : noted;
  const named = nameDecision(ports, 'disruption', snapshot);
  const names = snapshot.nodeClaims.map(({ name }) => name);
  const refused = refusedDeletions(ports, cluster, names);
  const context = {
    decisionId: named.id,
    nowMs: named.atMs,
    refused,
    refusedTaints: refusedTaints(
      ports,
      cluster,
      snapshot.nodes.map(({ metadata }) => metadata.name),
    ),
    taints: !ports.settings.shadow,
  };
  return { snapshot, context, named, log };
}
