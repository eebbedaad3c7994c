import { MINUTE_MS } from '../../../apis/formats/time.ts';
import type { NodeClaimRecord } from '../../model/node-claim-record.ts';
import { launchingSinceMs } from './launch.ts';

/**
 * Lifecycle gives up a claim five minutes after its first request (D8), and four minutes later if the outcome of its last request is
 * unknown. One of many claims that were not tried may wait twenty minutes for its turn.
 */
const GIVEN_UP_MS = 10 * MINUTE_MS;
const GIVEN_UP_IN_TURN_MS = 25 * MINUTE_MS;
/** EC2 accepts this many launches at once, so fewer claims than this do not wait for their turns. */
const TURNS_FROM = 50;
/** Clocks of functions differ, and a launch takes time. */
const BEFORE_GIVEN_UP_MS = MINUTE_MS;

/** The number of claims whose launch was not tried. */
export function untriedIn(records: readonly NodeClaimRecord[]): number {
  return records.filter(({ launch, deletion }) => launch.kind === 'planned' && deletion === undefined).length;
}

/** How long after it should be launched a claim takes no pods: provisioning plans another one in its place. @param untried of all claims of the cluster */
export function givenUpAfterMs({ launch }: NodeClaimRecord, untried: number): number {
  return launch.kind === 'planned' && untried > TURNS_FROM ? GIVEN_UP_IN_TURN_MS : GIVEN_UP_MS;
}

/** Whether a claim is no longer launched, because provisioning gives it up at the same time. @param untried of all claims of the cluster */
export function isAboutToBeGivenUp(record: NodeClaimRecord, untried: number, nowMs: number): boolean {
  return nowMs >= launchingSinceMs(record) + givenUpAfterMs(record, untried) - BEFORE_GIVEN_UP_MS;
}
