import { type Due, pollAfter } from '../../core/model/decision.ts';
import { inTurn, type Turning } from '../../core/node-claim/turn.ts';
import { isConflict, PortError } from '../../ports/errors.ts';
import { inParallel } from '../act/in-parallel.ts';
import { failureOf } from '../act/run-notes.ts';

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

/**
 * Reconciles every claim, in turn (`inTurn`). A claim that fails or hangs does not delay the others (promise 7). After a retryable
 * failure, the claim is reconciled again within five seconds; after a conflict, when `conflictRetry` says.
 */
export async function eachClaim<Claim extends Turning>(
  records: readonly Claim[],
  nowMs: number,
  reconcile: (record: Claim, aside: Aside) => Promise<readonly Due[]>,
): Promise<EachClaim> {
  const due: Due[] = [];
  const failures: Error[] = [];
  const asides: Promise<void>[] = [];
  let hasConflict = false;
  const noteFailure = async ({ name }: Claim, work: Promise<unknown>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (isConflict(error)) {
        hasConflict = true;
        return;
      }
      if (error instanceof PortError && error.retryable) due.push(pollAfter(nowMs));
      failures.push(failureOf(`NodeClaim ${name}`, error));
    }
  };
  await inParallel(inTurn(records, nowMs), AT_ONCE, async (record) => {
    const aside: Aside = (work) => void asides.push(noteFailure(record, work()));
    await noteFailure(
      record,
      reconcile(record, aside).then((more) => due.push(...more)),
    );
  });
  await Promise.all(asides);
  return { due, failures, hasConflict };
}
