import { describe, expect, test } from 'vitest';
import { type Method, needsInstanceTypes } from '../../../lib/core/disruption/method.ts';
import { drift } from '../../../lib/core/disruption/methods/drift.ts';
import { emptiness } from '../../../lib/core/disruption/methods/emptiness.ts';
import { fleet } from '../../../lib/core/disruption/methods/fleet.ts';
import { multiNode } from '../../../lib/core/disruption/methods/multi-node.ts';
import { singleNode } from '../../../lib/core/disruption/methods/single-node.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { aNodePool, type NodePoolOptions } from '../../builders/node-pools.ts';
import { NOW_MS } from '../../builders/times.ts';

const INITIALIZED: Partial<NodeClaimRecord> = { initializedAtMs: NOW_MS };
const DELETION = { reason: 'empty', message: 'test', requestedAtMs: NOW_MS } as const;

function needs(
  methods: readonly Method[],
  pool: NodePoolOptions,
  claim: Partial<NodeClaimRecord> = INITIALIZED,
): boolean {
  return needsInstanceTypes(methods, { nodePools: [aNodePool(pool)], nodeClaims: [launchedClaim(claim, {})] });
}

describe('the function reads instance types', () => {
  test('not for emptiness, and for a method that does not say when it places pods', () => {
    expect(needs([emptiness], {})).toBe(false);
    const { placesPods: _, ...unknown } = emptiness;
    expect(needs([emptiness, unknown], {})).toBe(true);
  });

  test('for consolidation only if a NodePool with an initialized node allows it (E19)', () => {
    for (const method of [fleet, multiNode, singleNode]) {
      expect(needs([method], {})).toBe(true);
      expect(needs([method], { disruption: { consolidationPolicy: 'WhenEmpty' } })).toBe(false);
      expect(needs([method], { disruption: { consolidateAfter: 'Never' } })).toBe(false);
      expect(needs([method], { replicas: 3 })).toBe(false);
      expect(needs([method], { name: 'other' })).toBe(false);
      expect(needs([method], {}, { ...INITIALIZED, deletion: DELETION })).toBe(false);
      expect(needs([method], {}, {})).toBe(false);
    }
  });

  test('for drift only if a node has drifted', () => {
    expect(needs([drift], {})).toBe(false);
    const drifted = { reason: 'NodePoolDrifted', message: 'test', sinceMs: NOW_MS } as const;
    expect(needs([drift], {}, { drift: drifted })).toBe(true);
    expect(needs([drift], {}, { drift: drifted, deletion: DELETION })).toBe(false);
  });
});
