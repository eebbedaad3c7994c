import { withZoneRefusals } from '../../core/instance-type/offerings/zone-refusals.ts';
import type { Action, Blocked } from '../../core/model/decision.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { fallbackOf } from '../../core/node-claim/launch/fallback.ts';
import { launched, refusedLaunch, spentLaunch } from '../../core/node-claim/launch/launch.ts';
import type { LaunchOutcome } from '../../ports/cloud-provider.ts';
import { PortError } from '../../ports/errors.ts';
import type { HasClock, Launches, UsesCatalogue, WritesClaims } from '../run/ports.ts';

type LaunchInstance = Action & { readonly kind: 'launch-instance' };

/**
 * Sends the recorded request and records its outcome. Missing capacity is recorded after every outcome (C53). *Shape:* the fallback, if
 * the instance costs more than planned.
 */
export async function launchInstance(
  ports: Launches & WritesClaims & UsesCatalogue & HasClock,
  cluster: string,
  action: LaunchInstance,
): Promise<Blocked | undefined> {
  const { store, clock } = ports;
  const record = await store.readNodeClaim(cluster, action.nodeClaim);
  // Another run has recorded the outcome of this attempt.
  if (record?.launch.kind !== 'requested' || record.launch.attempt !== action.attempt) return undefined;
  const outcome = await ports.cloud.launch(action.request);
  const nowMs = clock.now();
  const { missing } = outcome;
  const answered = { requested: action.request.overrides, types: record.types, missing };
  const unmarked = await markMissing(ports, withZoneRefusals(answered), nowMs);
  const learned = missing.length > 0 && unmarked === undefined;
  await store.updateNodeClaim(afterLaunch(record, outcome, { nowMs, learned }));
  // Reported after the outcome is recorded.
  if (unmarked !== undefined) throw unmarked;
  return outcome.kind === 'launched' ? fallbackOf(record, outcome.instance, missing.length) : undefined;
}

/** *Shape:* why the missing capacity could not be recorded. The record of the claim does not depend on it. */
async function markMissing(
  { catalogue }: UsesCatalogue,
  missing: LaunchOutcome['missing'],
  atMs: number,
): Promise<PortError | undefined> {
  try {
    await catalogue.markUnavailable(missing.map((one) => ({ ...one, atMs })));
    return undefined;
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return error;
  }
}

/** The next attempt follows at once only if it avoids the missing capacity. */
function afterLaunch(
  record: NodeClaimRecord,
  outcome: LaunchOutcome,
  { nowMs, learned }: { readonly nowMs: number; readonly learned: boolean },
): NodeClaimRecord {
  if (outcome.kind === 'launched') return launched(record, outcome.instance, nowMs);
  const { message } = outcome;
  const isKnown = outcome.kind === 'refused' || (outcome.kind === 'rejected' && !wasSentBefore(record));
  return isKnown ? refusedLaunch(record, { message, nowMs, learned }) : spentLaunch(record, nowMs);
}

function wasSentBefore({ launch }: NodeClaimRecord): boolean {
  return launch.kind === 'requested' && launch.sentAgainAtMs !== undefined;
}
