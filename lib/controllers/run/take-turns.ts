/** Deciding for a whole cluster, one run at a time: the wake queue of docs/architecture.md. */
import { type BatchVerdict, batchWakes } from '../../core/provisioning/batch.ts';
import { PortError, UnreachableError } from '../../ports/errors.ts';
import type { Lease, LeaseName, RunOutcome, SeenLease } from '../../ports/leases.ts';
import type { CoalescedWake } from './coalesce-wakes.ts';
import type { HasClock, HasSettings, RunReport, SendsWakes, UsesLeases } from './ports.ts';

export interface Turn {
  readonly work: LeaseName['work'];
  readonly wake: CoalescedWake;
  /** Whether wakes that are still coming are waited for, as settings say (F17). */
  readonly collects: boolean;
}

export type TurnPorts = UsesLeases & SendsWakes & HasClock & HasSettings;

/** Either the reason why there is nothing to run, or the runs to make: as a rule one. */
export type TakenTurn<Ports> =
  | { readonly kind: 'skipped'; readonly report: RunReport }
  | { readonly kind: 'taken'; readonly runs: AsyncIterable<Ports & { readonly lease: Lease }> };

/** Others change a lease a few times a second at the most. */
const MAX_TRIES = 10;

/**
 * Takes the lease of the work, unless it is too early, a run has answered the wakes already, or another run holds it: that one
 * is asked to run again. *Shape:* ports that hold the lease, for one run after the other. A run that throws is reported to the
 * lease as failed. *Errors:* those of the ports.
 */
export async function takeTurn<Ports extends TurnPorts>(ports: Ports, turn: Turn): Promise<TakenTurn<Ports>> {
  const { work, wake } = turn;
  const name = { cluster: wake.cluster, work };
  let seen = await ports.leases.see(name);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const verdict = verdictOf(ports, turn, seen);
    if (verdict.kind === 'answered') return skipped(name, 'answered');
    if (verdict.kind === 'collect') {
      const { sinceMs, lastMs, delayMs } = verdict;
      await ports.messages.wake(work, { cluster: wake.cluster, reason: wake.reason, sinceMs, lastMs }, delayMs);
      return skipped(name, 'collecting');
    }
    const acquired = await ports.leases.acquire(seen);
    if (acquired.kind === 'busy') return skipped(name, 'busy');
    if (acquired.kind === 'held') return { kind: 'taken', runs: runsUnder(ports, acquired.lease) };
    seen = acquired.seen;
  }
  throw new UnreachableError(`${work} of ${wake.cluster}: its lease changed ${MAX_TRIES} times meanwhile: try again`);
}

function verdictOf({ settings, clock }: TurnPorts, { wake, collects }: Turn, seen: SeenLease): BatchVerdict {
  if (wake.times === undefined) return { kind: 'run' };
  const { batchIdleMs, batchMaxMs } = collects ? settings : { batchIdleMs: 0, batchMaxMs: 0 };
  return batchWakes(wake.times, { batchIdleMs, batchMaxMs, runAtMs: seen.runAtMs, nowMs: clock.now() });
}

/** The holder runs again before it lets go, for as long as a batch may take; then a wake does. */
async function* runsUnder<Ports extends TurnPorts>(
  ports: Ports,
  first: Lease,
): AsyncGenerator<Ports & { readonly lease: Lease }, void> {
  const { cluster, work } = first;
  const endMs = ports.clock.now() + ports.settings.batchMaxMs;
  let lease = first;
  for (;;) {
    yield* oneRun(ports, lease);
    const { runAgain } = await ports.leases.release(lease, 'done');
    if (!runAgain) return;
    if (ports.clock.now() >= endMs) return ports.messages.wake(work, { cluster, reason: 'again' });
    const acquired = await ports.leases.acquire(await ports.leases.see({ cluster, work }));
    // A run that holds it by now observes after the mark was made.
    if (acquired.kind !== 'held') return;
    ({ lease } = acquired);
  }
}

/** One run. Where it throws, the loop that asked for it ends here. */
async function* oneRun<Ports extends TurnPorts>(
  ports: Ports,
  lease: Lease,
): AsyncGenerator<Ports & { readonly lease: Lease }, void> {
  let outcome: RunOutcome = 'failed';
  try {
    yield { ...ports, lease };
    outcome = 'done';
  } finally {
    if (outcome === 'failed') await letGo(ports, lease);
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

/** *Shape:* one report of all runs: what the last one saw, and what all of them did. */
export function together({ work, cluster }: LeaseName, reports: readonly RunReport[]): RunReport {
  const nothing = { controller: work, cluster, decisions: [], due: [], gauges: {}, failures: [] };
  return {
    ...(reports.at(-1) ?? nothing),
    decisions: reports.flatMap(({ decisions }) => decisions),
    failures: reports.flatMap(({ failures }) => failures),
  };
}

function skipped({ work, cluster }: LeaseName, why: NonNullable<RunReport['skipped']>): TakenTurn<never> {
  const report = { controller: work, cluster, skipped: why, decisions: [], due: [], gauges: {}, failures: [] };
  return { kind: 'skipped', report };
}
