import { MINUTE_MS } from '../../../apis/formats/time.ts';
import type { NodeClaimRecord } from '../../model/node-claim-record.ts';
import { isThrottled, LONGEST_THROTTLE_MS, launchingSinceMs, waitsForTurn } from './launch.ts';

/**
 * Lifecycle gives up a claim five minutes after its first request (D8), and four minutes later if the outcome of its last request is
 * unknown. A claim that waits for its turn may wait half an hour: EC2 launches 1,000 instances at once and two a second after them.
 */
const GIVEN_UP_MS = 12 * MINUTE_MS;
const GIVEN_UP_IN_TURN_MS = 35 * MINUTE_MS;
/** EC2 accepts this many launches at once, so fewer claims than this do not wait for their turns. */
const TURNS_FROM = 50;
/** How long a launch shows that launches take turns. */
const RECENT_MS = 10 * MINUTE_MS;
/** Clocks of functions are up to two minutes apart, and a launch takes time. */
const BEFORE_GIVEN_UP_MS = 3 * MINUTE_MS;

/**
 * Whether claims wait for their turns: EC2 throttles launches, or there are many that were not tried or were tried in the last ten minutes.
 * The last ones of many wait as long as those before them.
 */
export function doLaunchesTakeTurns(records: readonly NodeClaimRecord[], nowMs: number): boolean {
  const isOfThem = ({ launch, deletion }: NodeClaimRecord): boolean =>
    launch.kind === 'planned' ? deletion === undefined : nowMs - launch.atMs < RECENT_MS;
  return (
    records.some((one) => isThrottled(one) && one.deletion === undefined) ||
    records.filter(isOfThem).length > TURNS_FROM
  );
}

/**
 * How long after it should be launched a claim takes no pods: provisioning plans another one in its place.
 * @param takeTurns `doLaunchesTakeTurns` of all claims of the cluster
 */
export function givenUpAfterMs(record: NodeClaimRecord, takeTurns: boolean): number {
  return isThrottled(record) || (takeTurns && waitsForTurn(record)) ? GIVEN_UP_IN_TURN_MS : GIVEN_UP_MS;
}

/** Whether a claim is no longer launched, because provisioning gives it up at about the same time. @param takeTurns as for `givenUpAfterMs` */
export function isAboutToBeGivenUp(record: NodeClaimRecord, takeTurns: boolean, nowMs: number): boolean {
  return nowMs >= launchingSinceMs(record) + givenUpAfterMs(record, takeTurns) - BEFORE_GIVEN_UP_MS;
}

/** Until when EC2 refuses further launches, as far as the records show. The clock of the function that wrote one may be ahead. */
export function throttledUntilMs(records: readonly NodeClaimRecord[], nowMs: number): number {
  const retriesMs = records.flatMap(({ launch }) =>
    launch.kind === 'refused' && launch.throttled === true ? (launch.retryAtMs ?? []) : [],
  );
  return Math.min(Math.max(Number.NEGATIVE_INFINITY, ...retriesMs), nowMs + LONGEST_THROTTLE_MS);
}
