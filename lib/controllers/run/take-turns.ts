/** Decisions for a whole cluster, one run at a time: the lease of docs/architecture.md. */
import { type BatchVerdict, batchWakes } from '../../core/provisioning/batch.ts';
import { type RefusedError, UnreachableError } from '../../ports/errors.ts';
import type { Lease, LeaseName, Leases, RunOutcome, SeenLease } from '../../ports/leases.ts';
import { AGAIN, acquiring, releaseAsFailed, releaseLease } from '../act/held-leases.ts';
import { newRefusals, unlessRefused } from '../act/refused-leases.ts';
import type { CoalescedWake } from './coalesce-wakes.ts';
import type {
  HasClock,
  HasSettings,
  MayHoldLease,
  RemembersRefusals,
  RunReport,
  SendsWakes,
  UsesLeases,
} from './ports.ts';

export interface Turn {
  readonly work: LeaseName['work'];
  readonly wake: CoalescedWake;
  /** Whether the run waits for further wakes, by the settings (F17). */
  readonly collects: boolean;
  /**
   * Looks whether there is anything to decide, before the lease is acquired: most runs find nothing, and the lease is two writes.
   * *Shape:* the report of a run that ends here. @default a run is needed
   */
  readonly look?: () => Promise<RunReport | undefined>;
}

export type TurnPorts = UsesLeases & SendsWakes & HasClock & HasSettings & RemembersRefusals;

/** Either the report of a turn in which nothing is decided, or the runs: usually one. */
export type TakenTurn<Ports> =
  | { readonly kind: 'skipped'; readonly report: RunReport }
  | { readonly kind: 'taken'; readonly runs: AsyncIterable<Ports & MayHoldLease>; readonly failures: readonly Error[] };

/** Other runs change a lease a few times a second at most. */
const MAX_TRIES = 10;

/**
 * Acquires the lease of the work. It does not if the batch is still collecting wakes or a run has answered them, or if another
 * run holds the lease; that run then runs again. If the table refuses the lease for good, one run continues without it: a lease
 * saves work, and correctness depends on the epoch. *Shape:* ports with the lease, for one run after the other, and the refusal to
 * report. If a run throws, its lease is released as failed. *Errors:* those of the ports.
 */
export async function takeTurn<Ports extends TurnPorts>(ports: Ports, turn: Turn): Promise<TakenTurn<Ports>> {
  const { work, wake } = turn;
  const name = { cluster: wake.cluster, work };
  const refusals: RefusedError[] = [];
  const acquire = acquiring(ports, wake);
  let seen = await unlessRefused(refusals, ports.leases.see(name));
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const verdict = verdictOf(ports, turn, seen);
    if (verdict.kind === 'answered') return skipped(name, 'answered');
    if (verdict.kind === 'collect') {
      const { sinceMs, lastMs, delayMs } = verdict;
      await ports.messages.wake(work, { cluster: wake.cluster, reason: wake.reason, sinceMs, lastMs }, delayMs);
      return skipped(name, 'collecting');
    }
    // After the lease was read: it is acquired only if no other run has held it since.
    const rested = await turn.look?.();
    if (rested !== undefined) return { kind: 'skipped', report: rested };
    const acquired = seen && (await unlessRefused(refusals, acquire(seen)));
    if (acquired === undefined) {
      return { kind: 'taken', runs: runWithoutLease(ports), failures: newRefusals(ports, name, refusals) };
    }
    if (acquired.kind === 'busy') return skipped(name, 'busy');
    if (acquired.kind === 'held')
      return { kind: 'taken', runs: runsUnder(ports, acquired.lease, { wake, acquire }), failures: [] };
    seen = acquired.seen;
  }
  throw new UnreachableError(
    `${work} of ${wake.cluster}: the lease changed ${MAX_TRIES} times during this run: try again`,
  );
}

function verdictOf(
  { settings, clock }: TurnPorts,
  { wake, collects }: Turn,
  seen: SeenLease | undefined,
): BatchVerdict {
  if (wake.times === undefined) return { kind: 'run' };
  const { batchIdleMs, batchMaxMs } = collects ? settings : { batchIdleMs: 0, batchMaxMs: 0 };
  const { runAtMs, answersUntilMs } = seen ?? {};
  return batchWakes(wake.times, { batchIdleMs, batchMaxMs, runAtMs, answersUntilMs, nowMs: clock.now() });
}

async function* runWithoutLease<Ports extends TurnPorts>(ports: Ports): AsyncGenerator<Ports, void> {
  yield ports;
}

/** The holder of a marked lease runs again, for at most the duration of a batch. After that it sends a wake. */
async function* runsUnder<Ports extends TurnPorts>(
  ports: Ports,
  first: Lease,
  { wake, acquire }: Pick<Turn, 'wake'> & Pick<Leases, 'acquire'>,
): AsyncGenerator<Ports & { readonly lease: Lease }, void> {
  const { cluster, work } = first;
  const endMs = ports.clock.now() + ports.settings.batchMaxMs;
  let lease = first;
  for (;;) {
    yield* oneRun(ports, lease, wake);
    const { runAgain } = await releaseLease(ports, lease, { outcome: 'done', wake });
    if (!runAgain) return;
    if (ports.clock.now() >= endMs) return ports.messages.wake(work, { cluster, reason: AGAIN });
    const acquired = await acquire(await ports.leases.see({ cluster, work }));
    // A run that has acquired the lease meanwhile observes after it was marked.
    if (acquired.kind !== 'held') return;
    ({ lease } = acquired);
  }
}

/** One run. If it throws, the loop of the caller ends here. */
async function* oneRun<Ports extends TurnPorts>(
  ports: Ports,
  lease: Lease,
  wake: CoalescedWake,
): AsyncGenerator<Ports & { readonly lease: Lease }, void> {
  let outcome: RunOutcome = 'failed';
  try {
    yield { ...ports, lease };
    outcome = 'done';
  } finally {
    if (outcome === 'failed') await releaseAsFailed(ports, lease, wake);
  }
}

/** *Shape:* one report of all runs: the values of the last run, and the decisions and failures of all runs. */
export function together(
  { work, cluster }: LeaseName,
  reports: readonly RunReport[],
  ofTurn: readonly Error[] = [],
): RunReport {
  const nothing = { controller: work, cluster, decisions: [], due: [], gauges: {}, failures: [] };
  return {
    ...(reports.at(-1) ?? nothing),
    decisions: reports.flatMap(({ decisions }) => decisions),
    decided: reports.flatMap(({ decided = [] }) => decided),
    failures: [...ofTurn, ...reports.flatMap(({ failures }) => failures)],
  };
}

function skipped({ work, cluster }: LeaseName, why: NonNullable<RunReport['skipped']>): TakenTurn<never> {
  const report = { controller: work, cluster, skipped: why, decisions: [], due: [], gauges: {}, failures: [] };
  return { kind: 'skipped', report };
}
