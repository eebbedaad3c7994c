import { describe, expect, test } from 'vitest';
import { whyLeftAlone } from '../../../../lib/core/node-claim/adoption/adoption.ts';
import { instanceOfNodeClaim } from '../../../../lib/core/node-claim/adoption/claim-object.ts';
import { type ClaimEvidence, recordFromObject } from '../../../../lib/core/node-claim/adoption/record-from-object.ts';
import { aJoinedNode, aKarpenterClaim } from '../../../builders/adoption-world.ts';
import { someTypes } from '../../../builders/instance-types.ts';
import { aNodePool } from '../../../builders/node-pools.ts';
import { HOUR, NOW_MS } from '../../../builders/times.ts';

const claim = aKarpenterClaim('general-a', 'i-1');
const node = aJoinedNode('general-a', 'i-1');
const { status: _, ...unlaunched } = claim;
const DAY_AGO_MS = NOW_MS - 24 * HOUR;

function record(over: Partial<ClaimEvidence> = {}) {
  const nodeClaim = over.nodeClaim ?? claim;
  const instance = instanceOfNodeClaim(nodeClaim, { node: over.node });
  return recordFromObject({ cluster: 'demo', instance, nodeClaim, instanceTypes: someTypes(), ...over }, NOW_MS);
}

describe('the record made from a NodeClaim object', () => {
  test('does not have the labels registered and initialized', () => {
    const labels = { ...claim.metadata.labels, 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true' };
    const made = record({ nodeClaim: { ...claim, metadata: { ...claim.metadata, labels } } });
    expect(made?.labels).toEqual(claim.metadata.labels);
  });

  test('is registered and initialized if its node is, at the times of its conditions', () => {
    expect(record({ node })).toMatchObject({ registeredAtMs: DAY_AGO_MS, initializedAtMs: DAY_AGO_MS });
    expect(record()).not.toHaveProperty('registeredAtMs');
    const { conditions: _conditions, ...bare } = claim.status ?? {};
    expect(record({ node, nodeClaim: { ...claim, status: bare } })).toMatchObject({ initializedAtMs: NOW_MS });
  });

  test('has the amounts of its object, or else of its type, or else of its node (promise 2)', () => {
    const counted = { ...claim, status: { ...claim.status, capacity: { cpu: '7' }, allocatable: { cpu: '6' } } };
    expect(record({ node, nodeClaim: counted })).toMatchObject({ holds: { cpu: 7_000 }, allocatable: { cpu: 6_000 } });
    expect(record({ node })?.holds).toEqual(someTypes()[0]?.capacity);
    expect(record({ node, instanceTypes: [] })?.allocatable).toMatchObject({ cpu: 2_000 });
  });

  test('has drifted if the object has the condition, since then, for a reason that Kerf compares (A1.28, D34)', () => {
    const since = { type: 'Drifted', status: 'True', lastTransitionTime: '2026-01-30T08:00:00Z' } as const;
    const drifted = (reason: string): typeof claim => {
      const conditions = [...(claim.status?.conditions ?? []), { ...since, reason, message: reason }];
      return { ...claim, status: { ...claim.status, conditions } };
    };
    const drift = { reason: 'AMIDrift', message: 'AMIDrift', sinceMs: DAY_AGO_MS };
    expect(record({ nodeClaim: drifted('AMIDrift') })).toMatchObject({ drift });
    expect(record({ nodeClaim: drifted('PlacementGroupDrift') })).not.toHaveProperty('drift');
    expect(record()).not.toHaveProperty('drift');
  });

  test('is launched if the object has a provider ID, also one that is not from EC2', () => {
    const foreign = { ...claim, status: { ...claim.status, providerID: 'kwok://node-7' } };
    expect(record({ nodeClaim: foreign })?.launch).toMatchObject({ kind: 'launched', instance: { id: 'node-7' } });
  });

  test('exists for a claim that is deleted before its launch, because it still counts against limits', () => {
    const deletionTimestamp = '2026-01-31T07:30:00Z';
    const deleted = { ...unlaunched, metadata: { ...claim.metadata, deletionTimestamp } };
    expect(record({ nodeClaim: deleted })).toMatchObject({
      launch: { kind: 'planned' },
      deletion: { reason: 'deleted' },
    });
  });

  test('has the requests of its pods as amounts if it is not launched and no type matches', () => {
    const spec = { ...claim.spec, resources: { requests: { cpu: '3' } } };
    const made = record({ nodeClaim: { ...unlaunched, spec }, instanceTypes: [] });
    expect(made).toMatchObject({ holds: { cpu: 3_000 }, allocatable: { cpu: 3_000 }, types: [], options: [] });
  });

  test('has the NodePool of its label, or else of its owner, or else of its node', () => {
    const { labels: __, ...bare } = claim.metadata;
    const owner = { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', name: 'owner', uid: 'u' };
    const owned = { ...claim, metadata: { ...bare, ownerReferences: [owner] } };
    const unnamed = { ...claim, metadata: bare };
    expect(record()?.nodePool).toBe('general');
    expect(recordFromObject({ cluster: 'demo', nodeClaim: owned, node, instanceTypes: [] }, NOW_MS)?.nodePool).toBe(
      'owner',
    );
    const labelled = { ...node, metadata: { ...node.metadata, labels: { 'karpenter.sh/nodepool': 'of-node' } } };
    expect(
      recordFromObject({ cluster: 'demo', nodeClaim: unnamed, node: labelled, instanceTypes: [] }, NOW_MS)?.nodePool,
    ).toBe('of-node');
    expect(recordFromObject({ cluster: 'demo', nodeClaim: unnamed, instanceTypes: [] }, NOW_MS)).toBeUndefined();
  });
});

test('claims without a NodePool and claims of static NodePools are not recorded, launched or not, without the feature gate (D31)', () => {
  const { labels: _labels, ...bare } = claim.metadata;
  for (const one of [claim, unlaunched]) {
    expect(whyLeftAlone({ nodeClaim: { ...one, metadata: bare } })?.reason).toBe('StandaloneNotSupported');
    expect(whyLeftAlone({ nodeClaim: one, nodePool: aNodePool({ replicas: 2 }) })?.reason).toBe(
      'StaticCapacityNotSupported',
    );
    expect(
      whyLeftAlone({ nodeClaim: one, nodePool: aNodePool({ replicas: 2 }), staticCapacity: true }),
    ).toBeUndefined();
    expect(whyLeftAlone({ nodeClaim: one, nodePool: aNodePool() })).toBeUndefined();
  }
});
