import { MINUTE_MS } from '../../apis/formats/time.ts';
import type { DeletionReason, NodeClaimRecord } from '../model/node-claim-record.ts';
import { POLL_MS } from './poll.ts';

/** Multiples of these numbers, modulo 1, are spread evenly: each new start lies in the largest gap between the earlier ones. */
const MINUTE_STEP = (Math.sqrt(5) - 1) / 2;
const POLL_STEP = Math.sqrt(3) - 1;

/** A claim, or another object, of which only the name is known. */
export type Turning = { readonly name: string } & Partial<
  Pick<NodeClaimRecord, 'launch' | 'deletion' | 'initializedAtMs'>
>;

/**
 * The order in which a run looks at claims: first those that cannot wait, then the others. Within both groups, each run begins
 * at another claim, so that runs that are cut off early do not look at the same claims again: if each run looks at `k` of `n`
 * claims, every claim has its turn within about `3 n / k` runs.
 * *Shape:* the same time and claims give the same order. No state is kept between runs.
 */
export function inTurn<Claim extends Turning>(claims: readonly Claim[], nowMs: number): readonly Claim[] {
  const { urgent = [], others = [] } = Object.groupBy(claims, (claim) => (isUrgent(claim) ? 'urgent' : 'others'));
  return [...rotated(urgent, nowMs), ...rotated(others, nowMs)];
}

/** A part of the claims for this run: the first of them change from run to run. */
function rotated<Claim>(claims: readonly Claim[], nowMs: number): readonly Claim[] {
  // Ticks come every minute, and polls between them.
  const minutes = Math.floor(nowMs / MINUTE_MS) * MINUTE_STEP;
  const polls = Math.floor((nowMs % MINUTE_MS) / POLL_MS) * POLL_STEP;
  const from = Math.floor(((minutes + polls) % 1) * claims.length);
  return [...claims.slice(from), ...claims.slice(0, from)];
}

const INTERRUPTIONS: readonly DeletionReason[] = ['spot_interrupted', 'capacity_reservation_interrupted'];

/** Whether pods wait for the claim, or its instance ends at a certain time. */
function isUrgent({ launch, deletion, initializedAtMs }: Turning): boolean {
  if (launch === undefined) return false;
  if (deletion === undefined) return initializedAtMs === undefined;
  return deletion.deadlineMs !== undefined || INTERRUPTIONS.includes(deletion.reason);
}
