import { MINUTE_MS, SECOND_MS } from '../../../apis/formats/time.ts';
import { compareText } from '../../compare-text.ts';
import type { Action, Blocked } from '../../model/decision.ts';
import { instanceOf, type NodeClaimRecord } from '../../model/node-claim-record.ts';
import type { Reason } from '../../model/reasons.ts';
import { isRegistered } from '../registration.ts';
import { adoptedRecord, type Orphan, whyLeftAlone } from './adoption.ts';

/** A record is written before its launch and read strongly: this only covers clocks that differ. */
const MIN_AGE_MS = 30 * SECOND_MS;
/** An instance beside another of its claim: whatever is being recorded about the two is recorded by then. */
const MIN_TWIN_AGE_MS = MINUTE_MS;

/** An instance with our tags that no claim calls its own. */
export interface UnrecordedInstance extends Orphan {
  /** Of the claim that its tag names, released ones included; absent where there is none. */
  readonly record?: NodeClaimRecord | undefined;
}

export interface UnrecordedInstanceVerdict {
  readonly actions: readonly Action[];
  readonly blocked: readonly Blocked[];
}

/**
 * What becomes of it. Its claim is released: it is a leak, and is ended. Its claim is there and has not settled its launch:
 * left to that. There is no record at all: it is adopted, never ended, for a lost table must not drain a fleet; where
 * nothing says how to treat it, it is reported. Its claim has another instance, which must never happen: the one in the
 * record stays; this one is ended, unless its node is registered, for pods may run there, and then somebody must look.
 * *Source:* promise 1; D32, where Karpenter terminates it; D36.
 */
export function decideUnrecordedInstance(stray: UnrecordedInstance, nowMs: number): UnrecordedInstanceVerdict {
  const { instance, record } = stray;
  const ageMs = nowMs - instance.launchedAtMs;
  if (ageMs < MIN_AGE_MS) return NOTHING;
  if (record === undefined) return adopt(stray, nowMs);
  if (record.releasedAtMs !== undefined) return end(stray, `its NodeClaim ${record.name} is released`);
  const own = instanceOf(record);
  if (own === undefined || own.id === instance.id || ageMs < MIN_TWIN_AGE_MS) return NOTHING;
  if (stray.node === undefined || !isRegistered(stray.node)) {
    return end(stray, `the instance of its NodeClaim ${record.name} is ${own.id}`);
  }
  return report(
    stray,
    'InstanceTwice',
    `NodeClaim ${record.name} has ${own.id} in its record, and this instance's node ${stray.node.metadata.name} is registered too: drain that node and terminate the instance`,
  );
}

const NOTHING: UnrecordedInstanceVerdict = { actions: [], blocked: [] };

function adopt(stray: UnrecordedInstance, nowMs: number): UnrecordedInstanceVerdict {
  const { instance, cluster, nodeClaim, nodePool } = stray;
  const left = whyLeftAlone(stray);
  if (left !== undefined) return report(stray, left.reason, left.message);
  const record = adoptedRecord(stray, nowMs);
  if (record === undefined) {
    const pool = instance.nodePool === '' ? 'it names no NodePool' : `its NodePool ${instance.nodePool} does not exist`;
    return report(
      stray,
      'InstanceWithoutRecord',
      `it carries the tags of ${cluster} and of NodeClaim ${instance.nodeClaim}, but there is no record of that, ${pool}, and no node of it has joined: create the NodePool and it is adopted, or terminate the instance`,
    );
  }
  const [source] = [nodeClaim && 'its NodeClaim object', nodePool && `NodePool ${record.nodePool}`, 'its node'].filter(
    Boolean,
  );
  const message = `instance ${instance.id} had no record: made from ${source}`;
  return { actions: [{ kind: 'create-node-claim', nodeClaim: record, message }], blocked: [] };
}

function end({ instance }: UnrecordedInstance, why: string): UnrecordedInstanceVerdict {
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

/** In the order in which they are looked at: of two of one claim the one that pods may run on is adopted, then the older. */
export function compareUnrecordedInstances(a: UnrecordedInstance, b: UnrecordedInstance): number {
  return (
    rank(a) - rank(b) || a.instance.launchedAtMs - b.instance.launchedAtMs || compareText(a.instance.id, b.instance.id)
  );
}

function rank({ node }: UnrecordedInstance): number {
  if (node === undefined) return 2;
  return isRegistered(node) ? 0 : 1;
}
