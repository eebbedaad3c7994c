import type { Action } from '../../core/model/decision.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { launched, refusedLaunch, spentLaunch } from '../../core/node-claim/launch/launch.ts';
import type { LaunchOutcome } from '../../ports/cloud-provider.ts';
import type { HasClock, Launches, UsesCatalogue, WritesClaims } from '../run/ports.ts';

type LaunchInstance = Action & { readonly kind: 'launch-instance' };

/** Sends the recorded request and records its outcome. Missing capacity is recorded after every outcome (C53). */
export async function launchInstance(
  ports: Launches & WritesClaims & UsesCatalogue & HasClock,
  cluster: string,
  action: LaunchInstance,
): Promise<void> {
  const { store, clock } = ports;
  const record = await store.readNodeClaim(cluster, action.nodeClaim);
  // Another run has recorded the outcome of this attempt.
  if (record?.launch.kind !== 'requested' || record.launch.attempt !== action.attempt) return;
  const outcome = await ports.cloud.launch(action.request);
  const nowMs = clock.now();
  await ports.catalogue.markUnavailable(outcome.missing.map((missing) => ({ ...missing, atMs: nowMs })));
  await store.updateNodeClaim(afterLaunch(record, outcome, nowMs));
}

function afterLaunch(record: NodeClaimRecord, outcome: LaunchOutcome, nowMs: number): NodeClaimRecord {
  if (outcome.kind === 'launched') return launched(record, outcome.instance, nowMs);
  const { message, missing } = outcome;
  const isKnown = outcome.kind === 'refused' || (outcome.kind === 'rejected' && !wasSentBefore(record));
  return isKnown ? refusedLaunch(record, { message, nowMs, learned: missing.length > 0 }) : spentLaunch(record, nowMs);
}

function wasSentBefore({ launch }: NodeClaimRecord): boolean {
  return launch.kind === 'requested' && launch.sentAgainAtMs !== undefined;
}
