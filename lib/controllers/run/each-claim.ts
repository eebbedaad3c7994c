import { SECOND_MS } from '../../apis/formats/time.ts';
import { inParallel } from '../../core/in-parallel.ts';
import { type Due, pollAfter } from '../../core/model/decision.ts';
import { inTurn, type Turning } from '../../core/node-claim/turn.ts';
import { isConflict, portErrorOf } from '../../ports/errors.ts';
import { failureOf } from '../act/run-notes.ts';
import type { HasClock } from './ports.ts';

export interface EachClaim {
  readonly due: readonly Due[];
  readonly failures: readonly Error[];
  /** Whether the objects of a claim were changed by others each time that the run wrote them. */
  readonly hasConflict: boolean;
}

/** Starts work that waits for a call that claims share. The work runs in parallel and does not delay other claims. */
export type Aside = (work: () => Promise<unknown>) => void;

/** The number of claims that are reconciled in parallel, so that a slow claim does not delay the launch of others. */
const AT_ONCE = 10;

/** Less than half of the time limit of a function. A longer run would be abandoned, with what it has to report. */
const MAX_MS = 20 * SECOND_MS;

/**
 * Reconciles every claim, in turn (`inTurn`). After 20 seconds, no further claim is begun: the next run, a few seconds later, begins at
 * another claim. A claim that fails or hangs does not delay the others (promise 7). After a retryable
 * failure, the claim is reconciled again within five seconds; after a conflict, when `conflictRetry` says.
 */
export async function eachClaim<Claim extends Turning>(
  records: readonly Claim[],
  { clock }: HasClock,
  reconcile: (record: Claim, aside: Aside) => Promise<readonly Due[]>,
): Promise<EachClaim> {
  const nowMs = clock.now();
  const due: Due[] = [];
  const failures: Error[] = [];
  const asides: Promise<void>[] = [];
  let hasConflict = false;
  let isLate = false;
  const noteFailure = async ({ name }: Claim, work: Promise<unknown>): Promise<void> => {
    try {
      await work;
    } catch (cause) {
      const error = portErrorOf(cause);
      if (isConflict(error)) {
        hasConflict = true;
        return;
      }
      if (error.retryable) due.push(pollAfter(nowMs));
      failures.push(failureOf(`NodeClaim ${name}`, error));
    }
  };
  await inParallel(inTurn(records, nowMs), AT_ONCE, async (record) => {
    if (clock.now() >= nowMs + MAX_MS) {
      isLate = true;
      return;
    }
    const aside: Aside = (work) => void asides.push(noteFailure(record, work()));
    await noteFailure(
      record,
      reconcile(record, aside).then((more) => due.push(...more)),
    );
  });
  await Promise.all(asides);
  if (isLate) due.push(pollAfter(clock.now()));
  return { due, failures, hasConflict };
}
