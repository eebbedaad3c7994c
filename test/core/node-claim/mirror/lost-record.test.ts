import { describe, expect, test } from 'vitest';
import type { NodeClaim } from '../../../../lib/apis/node-claim.ts';
import { hasLostRecord } from '../../../../lib/core/node-claim/mirror/lost-record.ts';
import { MINUTE, NOW_MS } from '../../../builders/times.ts';
import { A_NODE_CLAIM } from '../../../contract/cluster-objects.ts';

const OURS: NodeClaim = {
  ...A_NODE_CLAIM,
  metadata: {
    name: 'general-a',
    annotations: { 'karpenter.sh/nodepool-hash-version': 'kerf-3' },
    creationTimestamp: new Date(NOW_MS - 15 * MINUTE).toISOString(),
  },
};
const of = (over: Partial<NodeClaim['metadata']>): NodeClaim => ({ ...OURS, metadata: { ...OURS.metadata, ...over } });
const isLost = (nodeClaim: NodeClaim, instances: readonly { readonly nodeClaim: string }[] = []): boolean =>
  hasLostRecord(nodeClaim, { instances, nowMs: NOW_MS });

test('the object of a lost record whose launch came to nothing is removed after 15 minutes', () => {
  expect(isLost(OURS)).toBe(true);
  expect(isLost(OURS, [{ nodeClaim: 'group/abc' }])).toBe(true);
});

describe('kept is an object', () => {
  test.each<readonly [says: string, nodeClaim: NodeClaim]>([
    ['that is younger', of({ creationTimestamp: new Date(NOW_MS - 15 * MINUTE + 1_000).toISOString() })],
    ['of Karpenter', of({ annotations: { 'karpenter.sh/nodepool-hash-version': 'v3' } })],
    ['of a user', of({ annotations: {} })],
    ['with an instance', { ...OURS, status: { providerID: 'aws:///eu-west-3a/i-1' } }],
  ])('%s', (_, nodeClaim) => {
    expect(isLost(nodeClaim)).toBe(false);
  });

  test('whose instance is listed, which is adopted', () => {
    expect(isLost(OURS, [{ nodeClaim: 'general-a' }])).toBe(false);
  });
});
