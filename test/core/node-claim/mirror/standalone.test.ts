import { expect, test } from 'vitest';
import type { NodeClaim } from '../../../../lib/apis/node-claim.ts';
import { decideStandalone } from '../../../../lib/core/node-claim/mirror/standalone.ts';
import { MINUTE, NOW_MS } from '../../../builders/times.ts';
import { A_NODE_CLAIM } from '../../../contract/cluster-objects.ts';

test('a standalone NodeClaim gets the condition that it is not launched, once (A2.2)', () => {
  const { status } = decideStandalone(A_NODE_CLAIM, NOW_MS) ?? {};
  expect(status?.conditions).toMatchObject([
    { type: 'Launched', status: 'False', reason: 'StandaloneNotSupported' },
    { type: 'Ready', status: 'False', message: expect.stringContaining('create a NodePool') },
  ]);
  const patched: NodeClaim = { ...A_NODE_CLAIM, ...(status !== undefined && { status }) };
  expect(decideStandalone(patched, NOW_MS + MINUTE)).toBeUndefined();
});

test('a NodeClaim with an instance, or that is being deleted, is ignored', () => {
  const theirs = { ...A_NODE_CLAIM, status: { providerID: 'aws:///eu-west-3a/i-1' } };
  const deleted = { ...A_NODE_CLAIM, metadata: { name: 'a', deletionTimestamp: '2026-01-31T08:00:00Z' } };
  expect([decideStandalone(theirs, NOW_MS), decideStandalone(deleted, NOW_MS)]).toEqual([undefined, undefined]);
});
