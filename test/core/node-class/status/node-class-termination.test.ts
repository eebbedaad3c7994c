import { describe, expect, test } from 'vitest';
import { formatTime, MINUTE_MS } from '../../../../lib/apis/formats/time.ts';
import { decideNodeClassTermination } from '../../../../lib/core/node-class/status/node-class-termination.ts';
import { aNodeClass } from '../../../builders/node-pools.ts';
import { NOW_MS } from '../../../builders/times.ts';

const FINALIZER = 'karpenter.k8s.aws/termination';
const metadata = { name: 'default', generation: 1, deletionTimestamp: formatTime(NOW_MS), finalizers: [FINALIZER] };
const going = { ...aNodeClass(), metadata };

describe('a NodeClass that is deleted (A3.30)', () => {
  test('waits for the NodeClaims that reference it, and reports this once', () => {
    const first = decideNodeClassTermination(going, ['b', 'a'], NOW_MS);
    const reason = 'WaitingOnNodeClaimTermination';
    expect(first).toMatchObject({
      kind: 'wait',
      patch: { status: { conditions: [{ type: 'Ready', status: 'False', reason, observedGeneration: 1 }] } },
      blocked: { subject: { kind: 'EC2NodeClass', name: 'default' }, reason, numbers: { nodeClaims: 2 } },
    });
    if (first.kind !== 'wait' || first.patch?.status === undefined) throw new Error('it says nothing');
    const again = decideNodeClassTermination({ ...going, status: first.patch.status }, ['a', 'b'], NOW_MS + MINUTE_MS);
    expect(again).toMatchObject({ kind: 'wait' });
    expect(again).not.toHaveProperty('patch');
  });

  test('keeps the rest of its status while it waits', () => {
    const subnets = [{ id: 'subnet-1', zone: 'eu-west-3a' }];
    const since = { lastTransitionTime: formatTime(NOW_MS) };
    const conditions = [
      { type: 'SubnetsReady', status: 'True', ...since },
      { type: 'Ready', status: 'True', ...since },
    ] as const;
    const farewell = decideNodeClassTermination({ ...going, status: { subnets, conditions } }, ['a'], NOW_MS);
    expect(farewell).toMatchObject({
      patch: { status: { subnets, conditions: [{ type: 'SubnetsReady' }, { type: 'Ready', status: 'False' }] } },
    });
  });

  test('names at most five claims', () => {
    const names = Array.from({ length: 7 }, (_, index) => `claim-${index}`);
    expect(decideNodeClassTermination(going, names, NOW_MS)).toMatchObject({
      blocked: { message: expect.stringMatching(/: claim-0, claim-1, claim-2, claim-3, claim-4 and 2 more$/) },
    });
  });

  test('without claims is released, and loses our finalizer alone', () => {
    const kept = { ...going, metadata: { ...metadata, finalizers: ['example.com/x', FINALIZER] } };
    expect(decideNodeClassTermination(kept, [], NOW_MS)).toEqual({
      kind: 'release',
      patch: { finalizers: ['example.com/x'] },
    });
  });

  test('that others keep is left to them', () => {
    const theirs = { ...going, metadata: { ...metadata, finalizers: ['example.com/x'] } };
    expect(decideNodeClassTermination(theirs, ['a'], NOW_MS)).toEqual({ kind: 'none' });
  });
});
