import { MINUTE_MS } from '../../apis/formats/time.ts';
import { POLL_MS } from '../model/decision.ts';
import type { DeletionReason, NodeClaimRecord } from '../model/node-claim-record.ts';

/** Multiples of these numbers, modulo 1, are spread evenly: each new start lies in the largest gap between the earlier ones. */
const MINUTE_STEP = (Math.sqrt(5) - 1) / 2;
const POLL_STEP = Math.sqrt(3) - 1;

/** A claim, or another object, of which only the name is known. */
export type Turning = { readonly name: string } & Partial<
  Pick<NodeClaimRecord, 'launch' | 'deletion' | 'initializedAtMs' | 'registeredAtMs' | 'startTurn'>
>;

/**
 * The order in which a run looks at claims: first those that EC2 interrupts, then those whose nodes are registered before others (B67),
 * then others that cannot wait, then the rest. Within each group, each run begins at another claim, so that runs that are cut off early do
 * not look at the same claims again: if each run looks at `k` of `n` claims, every claim has its turn within about `3 n / k` runs.
 * *Shape:* the same time and claims give the same order. No state is kept between runs.
 */
export function inTurn<Claim extends Turning>(claims: readonly Claim[], nowMs: number): readonly Claim[] {
  const { interrupted = [], first = [], urgent = [], others = [] } = Object.groupBy(claims, urgencyOf);
  return [interrupted, first, urgent, others].flatMap((group) => rotated(group, nowMs));
}

/** The items in the order of this run: each run begins at another one. */
export function rotated<Item>(items: readonly Item[], nowMs: number): readonly Item[] {
  // Ticks come every minute, and polls between them.
  const minutes = Math.floor(nowMs / MINUTE_MS) * MINUTE_STEP;
  const polls = Math.floor((nowMs % MINUTE_MS) / POLL_MS) * POLL_STEP;
  const from = Math.floor(((minutes + polls) % 1) * items.length);
  return [...items.slice(from), ...items.slice(0, from)];
}

const INTERRUPTION_MS = 2 * MINUTE_MS;

/** EC2 ends the instance within two minutes. */
export const INTERRUPTIONS: readonly DeletionReason[] = ['spot_interrupted', 'capacity_reservation_interrupted'];

/** Whether EC2 has announced that it ends the instance of the claim within two minutes, before its deletion or after it. */
export function isInterrupted({ deletion }: Pick<Turning, 'deletion'>): boolean {
  return interruptedAt(deletion) !== undefined;
}

/** When EC2 announced this. */
function interruptedAt(deletion: Turning['deletion']): number | undefined {
  if (deletion === undefined) return undefined;
  return deletion.interruptedAtMs ?? (INTERRUPTIONS.includes(deletion.reason) ? deletion.requestedAtMs : undefined);
}

/** When EC2 ends the interrupted instance, at the latest. *Shape:* undefined if it has not announced this. */
export function interruptionEndMs(deletion: Turning['deletion']): number | undefined {
  const sinceMs = interruptedAt(deletion);
  return sinceMs === undefined ? undefined : sinceMs + INTERRUPTION_MS;
}

/** An interrupted instance ends within two minutes. `urgent`: pods wait for the claim, or it has a deadline. */
function urgencyOf(claim: Turning): 'interrupted' | 'first' | 'urgent' | 'others' {
  const { launch, deletion, initializedAtMs, registeredAtMs, startTurn } = claim;
  if (launch === undefined) return 'others';
  if (deletion === undefined) {
    if (startTurn === 1 && launch.kind === 'launched' && registeredAtMs === undefined) return 'first';
    return initializedAtMs === undefined ? 'urgent' : 'others';
  }
  if (isInterrupted({ deletion })) return 'interrupted';
  return deletion.deadlineMs === undefined ? 'others' : 'urgent';
}
