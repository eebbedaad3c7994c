import { MINUTE_MS } from '../../apis/formats/time.ts';
import type { NodeClaimRecord } from '../model/node-claim-record.ts';
import { launchingSinceMs } from '../node-claim/launch/launch.ts';

/**
 * Lifecycle gives up a claim five minutes after its first request (D8), and four minutes later if the outcome of its last request is
 * unknown. One of many claims that were not tried may wait twenty minutes for its turn.
 */
const GIVEN_UP_BY_MS = 10 * MINUTE_MS;
const GIVEN_UP_IN_TURN_MS = 25 * MINUTE_MS;
/** EC2 accepts this many launches at once, so fewer claims than this do not wait for their turns. */
const TURNS_FROM = 50;

/**
 * The records for a decision: a claim that should have been given up, and whose record shows neither an instance nor a request,
 * counts as deleted, so that its pods get another node. Such a record cannot be written. It does not count in the limits, because it is never launched.
 */
export function withoutGivenUp(records: readonly NodeClaimRecord[], nowMs: number): readonly NodeClaimRecord[] {
  const untried = records.filter(({ launch, deletion }) => launch.kind === 'planned' && deletion === undefined).length;
  return records.map((record) => {
    const { launch, deletion } = record;
    const hasNothing = launch.kind === 'planned' || (launch.kind === 'refused' && launch.unknown !== true);
    if (!hasNothing || deletion !== undefined) return record;
    const isInTurn = launch.kind === 'planned' && untried > TURNS_FROM;
    const givenUpByMs = isInTurn ? GIVEN_UP_IN_TURN_MS : GIVEN_UP_BY_MS;
    if (nowMs < launchingSinceMs(record) + givenUpByMs) return record;
    const message = `not launched within ${givenUpByMs / MINUTE_MS} minutes, and not recorded as given up`;
    return { ...record, deletion: { reason: 'launch_timeout', message, requestedAtMs: nowMs } };
  });
}
