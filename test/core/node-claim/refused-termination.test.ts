import { describe, expect, test } from 'vitest';
import type { Deletion, NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { refusedTermination } from '../../../lib/core/node-claim/terminate.ts';
import { decideTermination, type TerminationView } from '../../../lib/core/node-claim/termination.ts';
import { terminationView } from '../../builders/claim-view.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { aNode, CORDONED } from '../../builders/nodes.ts';
import { HOUR, MINUTE, NOW_MS, SECOND } from '../../builders/times.ts';

const DRAINED: Deletion = {
  reason: 'empty',
  message: '',
  requestedAtMs: NOW_MS - HOUR,
  drainStartedAtMs: NOW_MS - MINUTE,
};
const WHAT = { instanceId: 'i-1', message: 'OperationNotPermitted: disableApiTermination' };

/** A registered claim whose node has no pods. */
function drainedClaim(over: Partial<Deletion> = {}): NodeClaimRecord {
  return launchedClaim({ nodeName: 'node-1', registeredAtMs: NOW_MS - HOUR, deletion: { ...DRAINED, ...over } });
}

/** Its instance runs. */
function viewOf(record: NodeClaimRecord): TerminationView {
  const node = aNode(CORDONED);
  return terminationView({ record, node, instanceState: 'alive' });
}

/** The claim after EC2 has refused at each of the times. */
function refusedAt(...times: readonly number[]): NodeClaimRecord {
  const record = drainedClaim();
  return times.reduce((known, atMs) => refusedTermination(known, WHAT, atMs) ?? known, record);
}

describe('an instance that EC2 does not terminate (D26)', () => {
  test('is requested again after as long as EC2 has refused, at least 5 s and at most 5 minutes', () => {
    const pauses = [[0], [0, 5], [0, 5, 10], [0, 40], [0, 4_000]].map((seconds) => {
      const times = seconds.map((one) => NOW_MS + one * SECOND);
      const { retryAtMs = 0 } = refusedAt(...times).deletion?.terminationRefused ?? {};
      return (retryAtMs - Math.max(...times)) / SECOND;
    });
    expect(pauses).toEqual([5, 5, 10, 40, 300]);
  });

  test('is not requested during the pause, and the refusal is reported with its cause', () => {
    const view = viewOf(refusedAt(NOW_MS));
    const verdict = decideTermination(view, NOW_MS + 4 * SECOND);
    expect(verdict).toMatchObject({
      actions: [],
      blocked: [
        { subject: { kind: 'NodeClaim', name: 'general-1' }, reason: 'TerminationRefused', message: WHAT.message },
      ],
      due: [{ atMs: NOW_MS + 5 * SECOND }],
    });
    const again = decideTermination(view, NOW_MS + 5 * SECOND);
    expect(again.actions).toMatchObject([{ kind: 'terminate-instance' }]);
    const times = { drainOverAtMs: NOW_MS, terminateRequestedAtMs: NOW_MS + 5 * SECOND };
    expect(again.whenDone?.deletion).toEqual({ ...DRAINED, ...times });
  });

  test('is requested at every run while it runs, and the time of the first accepted request stays', () => {
    const requested = drainedClaim({ terminateRequestedAtMs: NOW_MS });
    for (const afterMs of [5 * SECOND, MINUTE, HOUR]) {
      const verdict = decideTermination(viewOf(requested), NOW_MS + afterMs);
      expect(verdict.actions).toMatchObject([{ kind: 'terminate-instance' }]);
      expect(verdict.record).toBe(requested);
      expect(verdict).not.toHaveProperty('whenDone');
    }
  });

  test('counts as not requested if EC2 refuses a later request', () => {
    const record = drainedClaim({ terminateRequestedAtMs: NOW_MS });
    const refused = refusedTermination(record, WHAT, NOW_MS + MINUTE);
    expect(refused?.deletion).not.toHaveProperty('terminateRequestedAtMs');
    expect(refused?.deletion).toMatchObject({
      drainOverAtMs: NOW_MS,
      terminationRefused: { sinceMs: NOW_MS + MINUTE },
    });
  });

  test('an instance that ends by another cause counts as requested', () => {
    const { record } = decideTermination({ ...viewOf(drainedClaim()), instanceState: 'shutting-down' }, NOW_MS);
    expect(record.deletion?.terminateRequestedAtMs).toBe(NOW_MS);
  });

  test('a refusal for another instance, or after the release, is not recorded', () => {
    const record = drainedClaim();
    expect(refusedTermination(record, { ...WHAT, instanceId: 'i-2' }, NOW_MS)).toBeUndefined();
    expect(refusedTermination({ ...record, releasedAtMs: NOW_MS }, WHAT, NOW_MS)).toBeUndefined();
    expect(refusedTermination(launchedClaim(), WHAT, NOW_MS)).toBeUndefined();
  });
});

describe('an instance whose termination shows that it has lost its tags (promise 4)', () => {
  const NOT_OWNED = { ...WHAT, reason: 'InstanceNotTagged' } as const;

  /** Its instance was launched at this time. */
  function launchedAt(atMs: number, over: Partial<Deletion> = {}): NodeClaimRecord {
    const { launch, ...rest } = drainedClaim(over);
    if (launch.kind !== 'launched') throw new Error('it has no instance');
    return { ...rest, launch: { ...launch, atMs } };
  }

  test('has the same record as one that EC2 shows without them', () => {
    for (const over of [{}, { terminateRequestedAtMs: NOW_MS - SECOND }, refusedAt(NOW_MS).deletion]) {
      const record = launchedAt(NOW_MS - HOUR, over);
      const seen = decideTermination({ ...viewOf(record), untagged: true }, NOW_MS + SECOND);
      expect(refusedTermination(record, NOT_OWNED, NOW_MS + SECOND)).toEqual(seen.record);
      expect(seen.record.deletion).not.toHaveProperty('terminateRequestedAtMs');
    }
  });

  test('is recorded once, and requested at each poll', () => {
    const record = launchedAt(NOW_MS - HOUR);
    const noted = refusedTermination(record, NOT_OWNED, NOW_MS) ?? record;
    expect(noted).not.toBe(record);
    expect(refusedTermination(noted, NOT_OWNED, NOW_MS + MINUTE)).toBeUndefined();
    const view = { ...viewOf(noted), instanceState: 'unread' } as const;
    const next = decideTermination(view, NOW_MS + 5 * SECOND);
    expect(next.actions).toMatchObject([{ kind: 'terminate-instance' }]);
    expect(next.due).toEqual(decideTermination({ ...view, record }, NOW_MS + 5 * SECOND).due);
  });

  test('has the shortest pause if EC2 refuses its termination after it has its tags again', () => {
    const record = launchedAt(NOW_MS - HOUR);
    const noted = refusedTermination(record, NOT_OWNED, NOW_MS - HOUR / 2) ?? record;
    const { terminationRefused } = refusedTermination(noted, WHAT, NOW_MS)?.deletion ?? {};
    expect(terminationRefused).toMatchObject({ sinceMs: NOW_MS, retryAtMs: NOW_MS + 5 * SECOND });
  });

  test('may be new: EC2 may return it before its tags', () => {
    const record = launchedAt(NOW_MS);
    expect(refusedTermination(record, NOT_OWNED, NOW_MS + 2 * MINUTE)).toBeUndefined();
    expect(refusedTermination(record, NOT_OWNED, NOW_MS + 3 * MINUTE)).toBeDefined();
  });
});
