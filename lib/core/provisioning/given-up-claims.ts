import { MINUTE_MS } from '../../apis/formats/time.ts';
import type { NodeClaimRecord } from '../model/node-claim-record.ts';

/** Lifecycle gives up a claim after five minutes (D8), and four minutes later if the outcome of its last request is unknown. */
const GIVEN_UP_BY_MS = 10 * MINUTE_MS;

/**
 * The records for a decision: a claim that should have been given up, and whose record shows neither an instance nor a request,
 * counts as deleted, so that its pods get another node. Such a record cannot be written. It does not count in the limits, because it is never launched.
 */
export function withoutGivenUp(records: readonly NodeClaimRecord[], nowMs: number): readonly NodeClaimRecord[] {
  return records.map((record) => {
    const { launch, deletion, createdAtMs } = record;
    const hasNothing = launch.kind === 'planned' || (launch.kind === 'refused' && launch.unknown !== true);
    if (!hasNothing || deletion !== undefined || nowMs < createdAtMs + GIVEN_UP_BY_MS) return record;
    const message = `not launched within ${GIVEN_UP_BY_MS / MINUTE_MS} minutes, and not recorded as given up`;
    return { ...record, deletion: { reason: 'launch_timeout', message, requestedAtMs: nowMs } };
  });
}
