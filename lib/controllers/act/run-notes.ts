import { type Decision, type Due, pollAfter } from '../../core/model/decision.ts';
import type { NodeClaimRecord, RunningInstance } from '../../core/model/node-claim-record.ts';
import { isConflict, PortError, portErrorOf, UnexpectedError } from '../../ports/errors.ts';
import type { Readings } from '../observe/readings.ts';
import type { HasClock, RemembersRefusals } from '../run/ports.ts';
import { isNewFailure } from './is-new-refusal.ts';

/** The decisions and failures that a run reports. */
export interface RunNotes {
  readonly decisions: Decision[];
  readonly failures: Error[];
  /** What runs for the NodeClaims of the decisions, by name. @default not recorded */
  readonly instances?: Map<string, RunningInstance>;
  /** When the run is repeated for what failed and may succeed later. */
  readonly due: Due[];
  /** The records of NodeClaims after the steps of the run, by name. @default not kept */
  readonly records?: Map<string, NodeClaimRecord>;
}

/** A run that notes what failed. */
export interface NotingRun {
  readonly ports: HasClock & RemembersRefusals;
  readonly cluster: string;
  readonly notes: RunNotes;
}

/**
 * Does work that the rest of the run does not need. A failure is noted in the report of the run; a permanent refusal is noted
 * once. After a failure that may pass, the run is repeated within five seconds. *Shape:* the failure. *Errors:* a conflict.
 */
export async function noteFailure(
  { ports, cluster, notes }: NotingRun,
  subject: string,
  work: () => Promise<unknown>,
): Promise<PortError | undefined> {
  try {
    await work();
    return undefined;
  } catch (cause) {
    const error = portErrorOf(cause);
    if (isConflict(error)) throw error;
    note({ ports, cluster, notes }, subject, error);
    if (error.retryable) notes.due.push(pollAfter(ports.clock.now()));
    return error;
  }
}

/**
 * Notes what the run could not read, once for all claims. The run is not repeated for it: each claim that waits for it says when.
 */
export function noteUnread(run: NotingRun, { failures }: Pick<Readings, 'failures'>): void {
  for (const [what, failure] of failures) if (!isConflict(failure)) note(run, `read ${what}`, failure);
}

/** What a run without notes could not read. *Shape:* the failures to report. */
export function failuresToRead(run: Omit<NotingRun, 'notes'>, log: Pick<Readings, 'failures'>): readonly Error[] {
  const notes: RunNotes = { decisions: [], failures: [], due: [] };
  noteUnread({ ...run, notes }, log);
  return notes.failures;
}

/** The failure of work on a subject, for example a NodeClaim. */
export function failureOf(subject: string, cause: Error): Error {
  return new Error(`${subject}: ${cause.message}`, { cause });
}

/**
 * The failures (`failureOf`) without the permanent refusals that were reported before. An unexpected error is reported by each run
 * (`problemsIn`).
 */
export function notReported(
  { ports, cluster }: Omit<NotingRun, 'notes'>,
  failures: readonly Error[],
): readonly Error[] {
  return failures.filter(({ message, cause }) => {
    if (!(cause instanceof PortError) || cause.retryable || cause instanceof UnexpectedError) return true;
    const subject = message.slice(0, message.length - cause.message.length);
    return isNewFailure(ports, `${cluster}: ${subject}`, cause.message);
  });
}

function note(run: NotingRun, subject: string, error: PortError): void {
  run.notes.failures.push(...notReported(run, [failureOf(subject, error)]));
}
