import { MINUTE_MS, SECOND_MS } from '../../../apis/formats/time.ts';
import { compareText } from '../../compare-text.ts';
import type { Action, Blocked } from '../../model/decision.ts';
import { instanceOf, type NodeClaimRecord, providerIdOf } from '../../model/node-claim-record.ts';
import type { Reason } from '../../model/reasons.ts';
import { isGroupName, UNNAMED } from '../launch/launch-groups.ts';
import { isRegistered } from '../registration.ts';
import { adoptedRecord, type InstanceEvidence, whyLeftAlone } from './adoption.ts';

/** A record is written before its launch and read with strong consistency: this only covers clock skew. */
const MIN_AGE_MS = 30 * SECOND_MS;
/** For a duplicate instance of a claim: after this time, pending writes about both instances are complete. */
const MIN_DUPLICATE_AGE_MS = MINUTE_MS;

/** An instance with the cluster's tags that is not in any NodeClaim record. */
export interface UnrecordedInstance extends InstanceEvidence {
  /** The record of the claim in its tag, even if released; absent if there is none. */
  readonly record?: NodeClaimRecord | undefined;
}

export interface UnrecordedInstanceVerdict {
  readonly actions: readonly Action[];
  readonly blocked: readonly Blocked[];
}

/**
 * Decides what to do with an unrecorded instance.
 * - Its claim is released: it is terminated, because it is a leak.
 * - The launch of its claim is not complete: nothing is done, because lifecycle handles it.
 * - It was launched for a group of claims, none of which waits for it, and it has neither a registered node nor a NodeClaim object: EC2 lists
 *   it after its claims were given up. It is terminated, as that of a single claim, because others have replaced it.
 * - Else it has no record: it is adopted, not terminated, because a lost table must not terminate the nodes of a cluster. If no
 *   record can be made, it is reported.
 * - Its claim has another instance, which must not happen: the recorded instance stays. This one is terminated, or reported
 *   if its node is registered, because pods may run there, also after the claim is released.
 *
 * *Source:* promise 1; D32, where Karpenter terminates it; D36.
 */
export function decideUnrecordedInstance(unrecorded: UnrecordedInstance, nowMs: number): UnrecordedInstanceVerdict {
  const { instance, record } = unrecorded;
  const ageMs = nowMs - instance.launchedAtMs;
  if (ageMs < MIN_AGE_MS) return NOTHING;
  if (record === undefined) {
    if (!isLateMember(unrecorded)) return adopt(unrecorded, nowMs);
    if (ageMs < MIN_DUPLICATE_AGE_MS) return NOTHING;
    return end(unrecorded, 'no NodeClaim waits for it', { sinceMs: instance.launchedAtMs, nowMs });
  }
  const own = instanceOf(record);
  const isOther = own !== undefined && own.id !== instance.id;
  if (isOther && unrecorded.node !== undefined && isRegistered(unrecorded.node)) {
    if (ageMs < MIN_DUPLICATE_AGE_MS) return NOTHING;
    return report(
      unrecorded,
      'InstanceTwice',
      `the instance of NodeClaim ${record.name} is ${own.id}, but this instance also has a registered node, ${unrecorded.node.metadata.name}: drain that node and terminate this instance`,
    );
  }
  if (record.releasedAtMs !== undefined) {
    return end(unrecorded, `its NodeClaim ${record.name} was released`, { sinceMs: record.releasedAtMs, nowMs });
  }
  if (!isOther || ageMs < MIN_DUPLICATE_AGE_MS) return NOTHING;
  const why = `its NodeClaim ${record.name} has another instance, ${own.id}`;
  return end(unrecorded, why, { sinceMs: instance.launchedAtMs, nowMs });
}

/** An instance whose tags cannot be read may be of no group. */
function isLateMember({ instance: { nodeClaim: tag }, nodeClaim, node }: UnrecordedInstance): boolean {
  const isMember = isGroupName(tag) && tag !== UNNAMED;
  return isMember && nodeClaim === undefined && (node === undefined || !isRegistered(node));
}

const NOTHING: UnrecordedInstanceVerdict = { actions: [], blocked: [] };

function adopt(unrecorded: UnrecordedInstance, nowMs: number): UnrecordedInstanceVerdict {
  const { instance, cluster, nodeClaim, nodePool } = unrecorded;
  const left = whyLeftAlone(unrecorded);
  if (left !== undefined) return report(unrecorded, left.reason, left.message);
  const record = adoptedRecord(unrecorded, nowMs);
  if (record === undefined) {
    const pool = instance.nodePool === '' ? 'no NodePool tag' : `NodePool ${instance.nodePool} does not exist`;
    return report(
      unrecorded,
      'InstanceWithoutRecord',
      `it is tagged for cluster ${cluster} and NodeClaim ${instance.nodeClaim}, but a record cannot be made: no NodeClaim object, ${pool}, no registered node. Create the NodePool, and Kerf adopts the instance; or terminate the instance`,
    );
  }
  const [source] = [nodeClaim && 'its NodeClaim object', nodePool && `NodePool ${record.nodePool}`, 'its node'].filter(
    Boolean,
  );
  const message = `adopted unrecorded instance ${instance.id}: record made from ${source}`;
  return { actions: [{ kind: 'create-node-claim', nodeClaim: record, message }], blocked: [] };
}

/** An instance that still runs after some minutes may be protected: EC2 refuses its termination each time. */
const OFTEN_MS = 10 * MINUTE_MS;
const RARELY_MINUTES = 5;

/** Each tick decides. No record has the last request, so the minute decides whether it is time for the next one. */
function end(
  { instance }: UnrecordedInstance,
  why: string,
  { sinceMs, nowMs }: { readonly sinceMs: number; readonly nowMs: number },
): UnrecordedInstanceVerdict {
  if (nowMs - sinceMs >= OFTEN_MS && Math.floor(nowMs / MINUTE_MS) % RARELY_MINUTES > 0) return NOTHING;
  const { id: instanceId, nodeClaim } = instance;
  return { actions: [{ kind: 'terminate-instance', nodeClaim, instanceId, message: why }], blocked: [] };
}

function report({ instance }: UnrecordedInstance, reason: Reason, message: string): UnrecordedInstanceVerdict {
  const pool = instance.nodePool === '' ? {} : { nodePool: instance.nodePool };
  return {
    actions: [],
    blocked: [{ subject: { kind: 'Instance', name: instance.id }, ...pool, reason, message, numbers: {} }],
  };
}

/**
 * The order of adoption: of two instances of one claim, the one whose provider ID the NodeClaim object has comes first, then one with a
 * registered node, then the older one.
 */
export function compareUnrecordedInstances(a: UnrecordedInstance, b: UnrecordedInstance): number {
  return (
    rank(a) - rank(b) || a.instance.launchedAtMs - b.instance.launchedAtMs || compareText(a.instance.id, b.instance.id)
  );
}

function rank({ instance, nodeClaim, node }: UnrecordedInstance): number {
  if (nodeClaim?.status?.providerID === providerIdOf(instance)) return 0;
  if (node === undefined) return 3;
  return isRegistered(node) ? 1 : 2;
}
