import { describeProgress } from '../core/disruption/memory/turns.ts';
import type { Method } from '../core/disruption/method.ts';
import { ALL_METHODS } from '../core/disruption/methods/all-methods.ts';
import type { Decision, Verdict } from '../core/model/decision.ts';
import { needlessTicks } from './act/needless-ticks.ts';
import { type NotingRun, noteFailure, noteUnread } from './act/run-notes.ts';
import { type DisruptionPorts, type Look, lookAt } from './disruption/look-at.ts';
import { type Disruption, decide, isQuiet, mayBeQuiet } from './disruption/quiet-passes.ts';
import { changeSoftTaints } from './disruption/soft-taints.ts';
import { recordAndAct } from './run/cluster-decision.ts';
import type { CoalescedWake } from './run/coalesce-wakes.ts';
import { settledEpoch } from './run/open-decisions.ts';
import type { RunReport } from './run/ports.ts';
import { takeTurn, together } from './run/take-turns.ts';
import { armWakeUp } from './run/wake-up.ts';

/** In a larger cluster, a pass takes longer than the two writes of a lease, and passes at the same time would do the same work. */
const MAX_CLAIMS_WITHOUT_LEASE = 300;

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
    const quiet = mayRest ? await passOver(ports, wake, { disruption, claims: 'quiet' }) : undefined;
    if (quiet?.kind === 'passed') return finish(ports, quiet);
    const ofLook: Begun = quiet ?? { earlier: [], failures: [] };
    const of = { disruption, claims: mayRest ? 'new' : 'kept' } as const;
    let passed: Passed | undefined;
    const isSmall = (disruption.claims.get(cluster)?.claims.records.length ?? Infinity) <= MAX_CLAIMS_WITHOUT_LEASE;
    const look = async (): Promise<RunReport | undefined> => {
      passed = await passOver(ports, wake, of);
      return hasWork(passed.verdict) ? undefined : finish(ports, passed);
    };
    const turn = await takeTurn(ports, { work: 'disruption', wake, collects: false, ...(isSmall && { look }) });
    if (turn.kind === 'skipped') return withEarlier(turn.report, ofLook);
    const reports: RunReport[] = [];
    for await (const leased of turn.runs) {
      // The first run goes on where the look has ended: its decision is recorded only if the epoch has not moved since.
      reports.push(await finish(leased, passed ?? (await passOver(leased, wake, of))));
      passed = undefined;
    }
    return withEarlier(together({ work: 'disruption', cluster }, reports, turn.failures), ofLook);
  };
}

/** The deployed function. */
export const reconcileDisruption = reconcileDisruptionBy(ALL_METHODS);

/** With what the run has done before. */
function withEarlier(report: RunReport, { earlier, failures }: Begun): RunReport {
  return {
    ...report,
    decisions: [...earlier, ...report.decisions],
    failures: [...failures, ...report.failures],
  };
}

/** What a pass did before it decided: it has finished the decisions of earlier runs. */
interface Begun {
  readonly earlier: readonly Decision[];
  readonly failures: readonly Error[];
}

interface Passed extends Begun {
  readonly kind: 'passed';
  readonly noting: NotingRun;
  readonly look: Look;
  readonly verdict: Verdict;
}

/** Nothing was decided. The failures were not reported before, and are not reported again. */
interface Changed extends Begun {
  readonly kind: 'changed';
}

interface PassOptions<Claims> {
  readonly disruption: Disruption;
  readonly claims: Claims;
}

/** *Shape:* `changed` only if `claims` is `quiet`: then another pass follows. */
async function passOver(
  ports: DisruptionPorts,
  wake: CoalescedWake,
  of: PassOptions<'quiet'>,
): Promise<Passed | Changed>;
async function passOver(ports: DisruptionPorts, wake: CoalescedWake, of: PassOptions<'kept' | 'new'>): Promise<Passed>;
async function passOver(
  ports: DisruptionPorts,
  wake: CoalescedWake,
  { disruption, claims }: PassOptions<'quiet' | 'kept' | 'new'>,
): Promise<Passed | Changed> {
  const { cluster } = wake;
  const { epoch, failures, decisions: earlier } = await settledEpoch(ports, cluster);
  const kept = disruption.claims.get(cluster);
  // With the claims of the last look, only the last verdict is given again. Everything else is decided on a new list.
  const isKept = claims !== 'new' && kept !== undefined && kept.digest === wake.claimsDigest;
  const noting: NotingRun = { ports, cluster, notes: { decisions: [], failures: [], due: [] } };
  const of = { noting, epoch, disruption };
  let look = await lookAt(ports, { ...of, ...(isKept && { claims: kept.claims }) });
  if (isKept && !isQuiet(disruption.quiet, look)) {
    if (claims === 'quiet') return { kind: 'changed', earlier, failures: [...failures, ...noting.notes.failures] };
    look = await lookAt(ports, of);
  }
  return { kind: 'passed', noting, look, verdict: decide(disruption, look.snapshot, look.context), earlier, failures };
}

/** Whether a lease is worth its two writes. */
function hasWork({ actions, passMemory, softTaints = [] }: Verdict): boolean {
  return actions.length > 0 || passMemory !== undefined || softTaints.length > 0;
}

/** Records, acts, reports. */
async function finish(
  ports: DisruptionPorts,
  { noting, look: { snapshot, context, named, log }, verdict, ...begun }: Passed,
): Promise<RunReport> {
  const { cluster, notes } = noting;
  const { refused = new Set(), refusedTaints: untouched = new Set(), taints = true } = context;
  const read = { refused: [...refused].toSorted(), refusedTaints: [...untouched].toSorted(), taints };
  const { report: decided } = await recordAndAct(ports, snapshot, { named, verdict, context: read });
  const { passMemory, softTaints = [] } = verdict;
  if (passMemory !== undefined)
    await noteFailure(noting, 'memory of passes', async () => ports.store.writePassMemory(cluster, passMemory));
  const report = { ...decided, due: [...decided.due, ...notes.due] };
  await armWakeUp(ports, 'disruption', report);
  // They are only preferences: if the function is cut off here, nothing is lost.
  notes.failures.push(...(await changeSoftTaints(ports, cluster, softTaints)));
  noteUnread(noting, log);
  const progress = describeProgress(passMemory?.stopped ?? []);
  const failures = [...report.failures, ...notes.failures];
  return withEarlier({ ...report, ...(progress !== '' && { progress }), failures }, begun);
}
