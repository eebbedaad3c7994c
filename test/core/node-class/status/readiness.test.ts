import { describe, expect, test } from 'vitest';
import type { EC2NodeClass } from '../../../../lib/apis/ec2-node-class.ts';
import { formatTime } from '../../../../lib/apis/formats/time.ts';
import { unreadySinceMs, whyNotUsable } from '../../../../lib/core/node-class/status/readiness.ts';
import { aNodeClass } from '../../../builders/node-pools.ts';
import { NOW_MS } from '../../../builders/times.ts';

function saying(status: 'True' | 'False' | 'Unknown', observedGeneration = 2): EC2NodeClass {
  const lastTransitionTime = formatTime(NOW_MS);
  const why = { reason: 'SubnetsNotFound', message: 'there are none' };
  const conditions = [{ type: 'Ready', status, ...why, lastTransitionTime, observedGeneration }];
  return { ...aNodeClass(), metadata: { name: 'default', generation: 2 }, status: { conditions } };
}

describe('whether instances are launched of a NodeClass (C37)', () => {
  test('they are where it is Ready for its present generation', () => {
    expect(whyNotUsable(saying('True'))).toBeUndefined();
  });

  test('they are where it has no status yet, because the launch resolves the selectors', () => {
    expect(whyNotUsable(aNodeClass())).toBeUndefined();
    expect(whyNotUsable({ ...aNodeClass(), status: { subnets: [] } })).toBeUndefined();
  });

  test('they are not where it has no status yet and says itself what cannot be (A3.16)', () => {
    expect(whyNotUsable(aNodeClass({ kubelet: { registerWithTaints: [] } }))).toMatchObject({
      reason: 'InvalidKubeletConfiguration',
    });
  });

  test.each(['False', 'Unknown'] as const)(
    'they are not where Ready is %s, for the reason that the class gives',
    (status) => {
      expect(whyNotUsable(saying(status))).toEqual({
        reason: 'SubnetsNotFound',
        message: 'EC2NodeClass default is not ready: there are none',
      });
    },
  );

  test('they are not where another program set a reason, which is in the message', () => {
    const { status, ...rest } = saying('False');
    const conditions = (status?.conditions ?? []).map((one) => ({ ...one, reason: 'Elsewhere' }));
    expect(whyNotUsable({ ...rest, status: { conditions } })).toEqual({
      reason: 'NodeClassNotReady',
      message: 'EC2NodeClass default is not ready: Elsewhere: there are none',
    });
  });

  test('they are not where its status is of an older generation', () => {
    expect(whyNotUsable(saying('True', 1))).toMatchObject({
      reason: 'NodeClassNotReady',
      message: expect.stringMatching(/for generation 1, not yet for generation 2/),
    });
  });

  test('they are not where it is being deleted', () => {
    const { metadata, ...rest } = saying('True');
    const going = { ...rest, metadata: { ...metadata, deletionTimestamp: formatTime(NOW_MS) } };
    expect(whyNotUsable(going)).toMatchObject({ reason: 'NodeClassTerminating' });
  });
});

describe('since when a NodeClass is unready (D8)', () => {
  test.each([
    ['its status is for an earlier generation', saying('False', 1), undefined],
    ['it is Ready', saying('True'), undefined],
    ['Ready is False: from the transition', saying('False'), NOW_MS],
    ['Ready is Unknown: from the transition', saying('Unknown'), NOW_MS],
    ['it has no status: for ever', aNodeClass(), 0],
  ])('%s', (_, nodeClass, sinceMs) => {
    expect(unreadySinceMs(nodeClass)).toBe(sinceMs);
  });
});
