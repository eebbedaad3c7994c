import { MINUTE_MS } from '../../apis/formats/time.ts';
import type { NodeClaimRecord } from '../model/node-claim-record.ts';
import { launchingSinceMs } from '../node-claim/launch/launch.ts';
import { doLaunchesTakeTurns, givenUpAfterMs } from '../node-claim/launch/launch-turns.ts';

/**
 * The records for a decision: a claim that should have been given up, and whose record shows neither an instance nor a request,
 * counts as deleted, so that its pods get another node. Such a record cannot be written, or its NodeClass cannot be read. It does not count in
 * the limits, because it is never launched.
 */
export function withoutGivenUp(records: readonly NodeClaimRecord[], nowMs: number): readonly NodeClaimRecord[] {
  const takeTurns = doLaunchesTakeTurns(records, nowMs);
  return records.map((record) => {
    const { launch, deletion } = record;
    const hasNothing = launch.kind === 'planned' || (launch.kind === 'refused' && launch.unknown !== true);
    if (!hasNothing || deletion !== undefined) return record;
    const afterMs = givenUpAfterMs(record, takeTurns);
    if (nowMs < launchingSinceMs(record) + afterMs) return record;
    const message = `not launched within ${afterMs / MINUTE_MS} minutes, and not recorded as given up`;
    return { ...record, deletion: { reason: 'launch_timeout', message, requestedAtMs: nowMs } };
  });
}
