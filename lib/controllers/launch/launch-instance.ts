import { withZoneRefusals } from '../../core/instance-type/offerings/zone-refusals.ts';
import type { Action, Blocked } from '../../core/model/decision.ts';
import type { LaunchRequest, NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { fallbackOf } from '../../core/node-claim/launch/fallback.ts';
import { launched, refusedLaunch, spentLaunch } from '../../core/node-claim/launch/launch.ts';
import { instanceForMember } from '../../core/node-claim/launch/launch-groups.ts';
import type { LaunchOutcome } from '../../ports/cloud-provider.ts';
import { InstanceTakenError, PortError, StaleRecordError, UnreachableError } from '../../ports/errors.ts';
import type { HasClock, Launches, UsesCatalogue, WritesClaims } from '../run/ports.ts';

type LaunchInstance = Action & { readonly kind: 'launch-instance' };

export type LaunchPorts = Launches & WritesClaims & UsesCatalogue & HasClock;

/**
 * Sends the recorded request and records its outcome. Missing capacity is recorded after every outcome (C53). *Shape:* the fallback, if
 * the instance costs more than planned.
 */
export async function launchInstance(
  ports: LaunchPorts,
  cluster: string,
  action: LaunchInstance,
): Promise<Blocked | undefined> {
  const record = await ports.store.readNodeClaim(cluster, action.nodeClaim);
  // Another run has recorded the outcome of this attempt.
  if (record?.launch.kind !== 'requested' || record.launch.attempt !== action.attempt) return undefined;
  const reply = await sendRequest(ports, action.request, record);
  const { fallback } = await recordOutcome(ports, record, reply);
  // Reported after the outcome is recorded.
  if (reply.unmarked !== undefined) throw reply.unmarked;
  return fallback;
}

/** What EC2 answered to a request. */
export interface LaunchReply {
  readonly request: LaunchRequest;
  readonly outcome: LaunchOutcome;
  readonly nowMs: number;
  /** The missing capacity is recorded, so the next attempt can follow at once. */
  readonly learned: boolean;
  /** Why the missing capacity could not be recorded. */
  readonly unmarked: PortError | undefined;
}

/** Sends a request, and records the missing capacity. @param record a claim of the request */
export async function sendRequest(
  ports: LaunchPorts,
  request: LaunchRequest,
  { types }: Pick<NodeClaimRecord, 'types'>,
): Promise<LaunchReply> {
  const outcome = await ports.cloud.launch(request);
  const nowMs = ports.clock.now();
  const { missing } = outcome;
  const unmarked = await markMissing(ports, withZoneRefusals({ requested: request.overrides, types, missing }), nowMs);
  return { request, outcome, nowMs, learned: missing.length > 0 && unmarked === undefined, unmarked };
}

/** *Shape:* why the missing capacity could not be recorded. The records of the claims do not depend on it. */
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

/** How often the outcome is written if other functions change the record meanwhile. */
export const MAX_TRIES = 3;

/**
 * Records the outcome for one claim of the request, also if the claim was deleted meanwhile. *Errors:* UnreachableError if the outcome
 * is still unknown.
 */
export async function recordOutcome(
  { store }: WritesClaims,
  known: NodeClaimRecord,
  reply: LaunchReply,
): Promise<{ readonly record: NodeClaimRecord | undefined; readonly fallback?: Blocked | undefined }> {
  const { outcome, request, nowMs } = reply;
  let record = known;
  for (let tries = 1; ; tries += 1) {
    try {
      const written = await store.updateNodeClaim(afterLaunch(record, reply));
      if (outcome.kind !== 'launched' || written.launch.kind !== 'launched') return { record: written };
      return { record: written, fallback: fallbackOf(record, written.launch.instance, outcome.missing.length) };
    } catch (error) {
      const mayPass = error instanceof StaleRecordError || error instanceof InstanceTakenError;
      if (!mayPass || tries === MAX_TRIES) throw error;
    }
    const fresh = await store.readNodeClaim(known.cluster, known.name);
    if (!awaits(fresh, request)) return { record: fresh };
    // Another claim has the instance, so the reply is not that of the first call: the list of instances decides.
    if (fresh.version === record.version) return { record: await store.updateNodeClaim(spentLaunch(fresh, nowMs)) };
    record = fresh;
  }
}

/** Whether the outcome of the request is not recorded for the claim. */
export function awaits(record: NodeClaimRecord | undefined, request: LaunchRequest): record is NodeClaimRecord {
  return record?.launch.kind === 'requested' && record.launch.request.clientToken === request.clientToken;
}

/**
 * The next attempt follows at once only if it avoids the missing capacity. *Errors:* UnreachableError after the rejection of a request
 * that was sent before. The rejection does not show what EC2 did with the request then, so the same request is sent again.
 */
export function afterLaunch(
  record: NodeClaimRecord,
  { request, outcome, nowMs, learned }: LaunchReply,
  sentBefore: boolean = wasSentBefore(record),
): NodeClaimRecord {
  if (outcome.kind === 'launched') {
    const {
      instances,
      throttled,
      message = `EC2 launched ${instances.length} of ${request.members?.length ?? 1} instances`,
    } = outcome;
    const instance = instanceForMember(request, record.name, instances);
    return instance === undefined
      ? refusedLaunch(record, { message, nowMs, learned, throttled })
      : launched(record, instance, nowMs);
  }
  if (outcome.kind === 'spent') return spentLaunch(record, nowMs);
  const { message, throttled } = outcome;
  if (outcome.kind === 'rejected' && sentBefore)
    throw new UnreachableError(`EC2 rejected a request that was sent before, with an unknown outcome: ${message}`);
  return refusedLaunch(record, { message, nowMs, learned, throttled });
}

export function wasSentBefore({ launch }: NodeClaimRecord): boolean {
  return launch.kind === 'requested' && launch.sentAgainAtMs !== undefined;
}
