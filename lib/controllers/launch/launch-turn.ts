import { type Due, pollAfter, requeueAt } from '../../core/model/decision.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import type { ClaimVerdict } from '../../core/node-claim/claim-verdict.ts';
import { throttledUntilMs } from '../../core/node-claim/launch/launch-turns.ts';
import type { ObservedClaims } from '../observe/observe-claims.ts';
import type { HasClock, Launches } from '../run/ports.ts';

/** Delays the further launches of the run if EC2 has throttled that of one of the records. */
export function noteThrottled(
  { throttled }: Pick<ObservedClaims, 'throttled'>,
  records: readonly NodeClaimRecord[],
  nowMs: number,
): void {
  throttled.untilMs = Math.max(throttled.untilMs, throttledUntilMs(records, nowMs));
}

/**
 * When a launch can be sent, if the calls of the account are used up or EC2 throttles launches. Until then nothing is written, and nothing
 * has failed: a later run plans the launch again. A request whose outcome is unknown is sent again while EC2 throttles launches.
 */
export async function whyNotNow(
  { cloud, clock }: Launches & HasClock,
  verdicts: readonly Pick<ClaimVerdict, 'actions' | 'record'>[],
  { throttled }: Pick<ObservedClaims, 'throttled'>,
): Promise<Due | undefined> {
  if (!verdicts.some(({ actions }) => actions.some(({ kind }) => kind === 'launch-instance'))) return undefined;
  const isFirst = verdicts.every(
    ({ record: { launch } }) => launch.kind === 'requested' && launch.sentAgainAtMs === undefined,
  );
  if (isFirst && clock.now() < throttled.untilMs) return requeueAt(throttled.untilMs);
  const admission = await cloud.admitLaunch();
  if (admission.kind === 'admitted') return undefined;
  const nextMs = pollAfter(clock.now()).atMs;
  // The calls of some seconds are used in one run.
  return requeueAt(Math.max(nextMs, admission.untilMs));
}
