/** Deciding for a whole cluster, one run at a time: the wake queue of docs/architecture.md. */
import { type BatchVerdict, batchWakes } from '../core/provisioning/batch.ts';
import { PortError, UnreachableError } from '../ports/errors.ts';
import type { Lease, LeaseName, LookOutcome, SeenLease } from '../ports/leases.ts';
import type { CoalescedWake } from './coalesce-wakes.ts';
import type { ControllerPorts, RunReport } from './ports.ts';

export interface Turn {
  readonly work: LeaseName['work'];
  readonly wake: CoalescedWake;
  /** Whether wakes that are still coming are waited for, as settings say (F17). */
  readonly collects: boolean;
}

type TurnPorts = Pick<ControllerPorts, 'leases' | 'messages' | 'clock' | 'settings'>;

/** Looks once, with ports that hold the lease. */
export type Look<Ports> = (ports: Ports & { readonly lease: Lease }) => Promise<RunReport>;

/** Others change a lease a few times a second at the most. */
const MOST_TRIES = 10;

/**
 * Looks, unless it is too early, a look has answered the wakes already, or somebody else is at it: he is told to look again.
 * *Shape:* one report of all looks; a report that says why where there was none. *Errors:* those of `look`, and of the ports.
 */
export async function takeTurn<Ports extends TurnPorts>(
  ports: Ports,
  turn: Turn,
  look: Look<Ports>,
): Promise<RunReport> {
  const { work, wake } = turn;
  const name = { cluster: wake.cluster, work };
  let seen = await ports.leases.see(name);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const verdict = verdictOf(ports, turn, seen);
    if (verdict.kind === 'answered') return withoutLook(name, 'answered');
    if (verdict.kind === 'collect') {
      const { sinceMs, lastMs, delayMs } = verdict;
      await ports.messages.wake(work, { cluster: wake.cluster, reason: wake.reason, sinceMs, lastMs }, delayMs);
      return withoutLook(name, 'collecting');
    }
    const acquired = await ports.leases.acquire(seen);
    if (acquired.kind === 'busy') return withoutLook(name, 'busy');
    if (acquired.kind === 'held') return holdAndLook(ports, acquired.lease, look);
    seen = acquired.seen;
  }
  throw new UnreachableError(`${work} of ${wake.cluster}: its lease changed ${MOST_TRIES} times meanwhile: try again`);
}

function verdictOf({ settings, clock }: TurnPorts, { wake, collects }: Turn, seen: SeenLease): BatchVerdict {
  if (wake.times === undefined) return { kind: 'look' };
  const { batchIdleMs, batchMaxMs } = collects ? settings : { batchIdleMs: 0, batchMaxMs: 0 };
  return batchWakes(wake.times, { batchIdleMs, batchMaxMs, lookAtMs: seen.lookAtMs, nowMs: clock.now() });
}

/** The holder looks again before it lets go, for as long as a batch may take; then a wake does. */
async function holdAndLook<Ports extends TurnPorts>(ports: Ports, first: Lease, look: Look<Ports>): Promise<RunReport> {
  const { cluster, work } = first;
  const endMs = ports.clock.now() + ports.settings.batchMaxMs;
  let { report, lookAgain } = await lookOnce(ports, first, look);
  while (lookAgain && ports.clock.now() < endMs) {
    const acquired = await ports.leases.acquire(await ports.leases.see({ cluster, work }));
    // Whoever has it by now looks after the mark was made.
    if (acquired.kind !== 'held') return report;
    const next = await lookOnce(ports, acquired.lease, look);
    ({ lookAgain } = next);
    report = together(report, next.report);
  }
  if (lookAgain) await ports.messages.wake(work, { cluster, reason: 'again' });
  return report;
}

async function lookOnce<Ports extends TurnPorts>(
  ports: Ports,
  lease: Lease,
  look: Look<Ports>,
): Promise<{ readonly report: RunReport; readonly lookAgain: boolean }> {
  let outcome: LookOutcome = 'failed';
  try {
    const report = await look({ ...ports, lease });
    outcome = 'done';
    return { report, ...(await ports.leases.release(lease, outcome)) };
  } catch (error) {
    if (outcome === 'failed') await letGo(ports, lease);
    throw error;
  }
}

/** What failed is the news. The messages of the run come again, so that a mark is answered by them; else the lease lapses. */
async function letGo({ leases }: TurnPorts, lease: Lease): Promise<void> {
  try {
    await leases.release(lease, 'failed');
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
  }
}

function together(before: RunReport, last: RunReport): RunReport {
  return {
    ...last,
    decisions: [...before.decisions, ...last.decisions],
    failures: [...before.failures, ...last.failures],
  };
}

function withoutLook({ work, cluster }: LeaseName, why: NonNullable<RunReport['withoutLook']>): RunReport {
  return { controller: work, cluster, withoutLook: why, decisions: [], due: [], gauges: {}, failures: [] };
}
