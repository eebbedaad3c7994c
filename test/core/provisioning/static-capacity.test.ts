import { describe, expect, test } from 'vitest';
import type { Node } from '../../../lib/apis/kubernetes.ts';
import { optional } from '../../../lib/apis/optional.ts';
import { UNAVAILABLE_MS } from '../../../lib/core/instance-type/offerings/unavailable.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { provision } from '../../../lib/core/provisioning/provision.ts';
import { refusedClaims } from '../../../lib/core/provisioning/unreadable-claims.ts';
import { anInstanceType, anOffering } from '../../builders/instance-types.ts';
import { aClaim, launchedClaim } from '../../builders/node-claims.ts';
import { aPoolView, type NodePoolViewOptions } from '../../builders/node-pools.ts';
import { aNode } from '../../builders/nodes.ts';
import { pendingPod } from '../../builders/pods.ts';
import { aSnapshot } from '../../builders/snapshots.ts';
import { NOW_MS, SECOND } from '../../builders/times.ts';

const ON = { staticCapacity: true };
const DELETED = { deletion: { reason: 'deleted', message: '', requestedAtMs: NOW_MS } } as const;

/** A static NodePool with these claims. */
function aStaticPool(
  pool: NodePoolViewOptions,
  claims: readonly Partial<NodeClaimRecord>[] = [],
  over: Partial<ClusterSnapshot> = {},
): ClusterSnapshot {
  const nodeClaims = claims.map((one, index) => launchedClaim({ name: `general-${index}`, ...one }));
  return aSnapshot({ nodePools: [aPoolView(pool)], nodeClaims, options: ON, ...over });
}

function nodeOfPool(nodePool: string, deletionTimestamp?: string): Node {
  const name = `node-of-${nodePool}`;
  const labels = { 'karpenter.sh/nodepool': nodePool };
  return aNode({ name, providerId: name, labels, ...optional({ deletionTimestamp }) });
}

function decide(snapshot: ClusterSnapshot) {
  return provision(snapshot, { decisionId: 'decision-1', nowMs: NOW_MS });
}

function created(snapshot: ClusterSnapshot): readonly NodeClaimRecord[] {
  return decide(snapshot).actions.flatMap((action) => (action.kind === 'create-node-claim' ? [action.nodeClaim] : []));
}

function capacityTypesOf(claims: readonly NodeClaimRecord[]): readonly (readonly string[])[] {
  return claims.map(({ options }) => options.map(({ capacityType }) => capacityType));
}

describe('D31: a static NodePool', () => {
  test('gets the NodeClaims that it lacks, without pods, with all types that it may launch, cheapest first', () => {
    const types = [anInstanceType({ name: 'm5.xlarge', cpu: 4 }), anInstanceType()];
    const claims = created(aStaticPool({ replicas: 2, types, labels: { team: 'a' } }));
    expect(claims).toHaveLength(2);
    expect(new Set(claims.map(({ name }) => name)).size).toBe(2);
    expect(claims[0]).toMatchObject({
      nodePool: 'general',
      pods: [],
      labels: { team: 'a' },
      launch: { kind: 'planned' },
    });
    expect(claims[0]?.options[0]).toMatchObject({ instanceType: 'm5.large', capacityType: 'spot' });
    expect(new Set(claims[0]?.options.map(({ instanceType }) => instanceType))).toEqual(
      new Set(['m5.large', 'm5.xlarge']),
    );
    expect(created(aStaticPool({ replicas: 2, types }))).toEqual(created(aStaticPool({ replicas: 2, types })));
  });

  test('uses doubted offerings if all others cost more than the guard allows (C35)', () => {
    const claimsFor = (spotUsdPerHour: number) => {
      const spot = { ...anOffering('eu-west-3a', 'spot', spotUsdPerHour / 0.4), shortage: 'doubted' as const };
      const types = [anInstanceType({ offerings: [anOffering('eu-west-3a', 'on-demand', 1), spot] })];
      return created(aStaticPool({ replicas: 1, types }));
    };
    expect(capacityTypesOf(claimsFor(0.4))).toEqual([['on-demand']]);
    expect(capacityTypesOf(claimsFor(0.3))).toEqual([['spot']]);
  });

  test.each<[string, ClusterSnapshot, number]>([
    ['counts NodeClaims that are being launched', aStaticPool({ replicas: 2 }, [{ launch: { kind: 'planned' } }]), 1],
    ['does not count NodeClaims that are being deleted', aStaticPool({ replicas: 2 }, [{}, DELETED]), 1],
    ['counts them for limits.nodes', aStaticPool({ replicas: 3, limits: { nodes: '3' } }, [{}, DELETED]), 1],
    ['has no more nodes than limits.nodes', aStaticPool({ replicas: 5, limits: { nodes: '2' } }, [{}]), 1],
    ['has what it needs', aStaticPool({ replicas: 2 }, [{}, {}]), 0],
    ['has more than it needs', aStaticPool({ replicas: 1 }, [{}, {}]), 0],
    ['of no nodes', aStaticPool({ replicas: 0 }), 0],
    ['that is being deleted', aStaticPool({ replicas: 2, deletionTimestamp: '2026-01-31T08:00:00Z' }), 0],
    ['without the feature gate', aStaticPool({ replicas: 2 }, [], { options: {} }), 0],
    ['does not count NodeClaims of others', aStaticPool({ replicas: 1 }, [{ nodePool: 'other' }]), 1],
    [
      'counts a NodeClaim whose record cannot be read',
      aStaticPool({ replicas: 2 }, [{}], { ignoredObjects: refusedClaims([{ name: 'general-9', message: '' }]) }),
      0,
    ],
    [
      'counts a node without a record, which lifecycle is about to adopt',
      aStaticPool({ replicas: 3 }, [], { nodes: [nodeOfPool('general'), nodeOfPool('other')] }),
      2,
    ],
    [
      'counts it once if its record cannot be read',
      aStaticPool({ replicas: 2 }, [], {
        nodes: [nodeOfPool('general')],
        ignoredObjects: refusedClaims([{ name: 'general-9', message: '' }]),
      }),
      1,
    ],
    [
      'does not count a node without a record that is being deleted',
      aStaticPool({ replicas: 1 }, [], { nodes: [nodeOfPool('general', '2026-01-31T08:00:00Z')] }),
      1,
    ],
  ])('%s', (_, snapshot, count) => {
    expect(created(snapshot)).toHaveLength(count);
  });

  test('that cannot launch nodes is reported with the reason', () => {
    const unusable = { reason: 'NodeClassNotReady', message: 'not ready' } as const;
    expect(decide(aStaticPool({ replicas: 1, unusable }))).toMatchObject({
      actions: [],
      blocked: [{ nodePool: 'general', reason: 'NodeClassNotReady' }],
    });
    const invalid = { reason: 'NodePoolValidationFailed', message: 'spec.limits.nodes is not a quantity' } as const;
    expect(decide(aStaticPool({ replicas: 1, limits: { nodes: 'many' }, unusable: invalid }))).toMatchObject({
      actions: [],
      blocked: [{ nodePool: 'general', reason: 'NodePoolValidationFailed' }],
    });
    expect(decide(aStaticPool({ replicas: 1, types: [] })).blocked).toMatchObject([{ reason: 'NoOffering' }]);
  });

  test('that lacks more nodes than limits.nodes allows is reported with the numbers', () => {
    const { actions, blocked } = decide(aStaticPool({ replicas: 3, limits: { nodes: '2' } }));
    expect(actions).toHaveLength(2);
    expect(blocked).toEqual([
      {
        subject: { kind: 'Cluster', name: 'demo' },
        nodePool: 'general',
        reason: 'LimitExceeded',
        message: 'limits.nodes leaves room for 2 of 3 missing nodes: raise it, or lower spec.replicas (3)',
        numbers: { left: 2, missing: 3, replicas: 3 },
      },
    ]);
    const full = decide(aStaticPool({ replicas: 3, limits: { nodes: '2' } }, [{}, DELETED, DELETED]));
    expect(full.actions).toEqual([]);
    expect(full.blocked).toMatchObject([{ reason: 'LimitExceeded', numbers: { left: 0, missing: 2, replicas: 3 } }]);
    expect(decide(aStaticPool({ replicas: 2, limits: { nodes: '2' } })).blocked).toEqual([]);
    expect(decide(aStaticPool({ replicas: 1, limits: { nodes: '2' } }, [{}, {}, {}])).blocked).toEqual([]);
  });

  test('waits as pods do if most of its offerings had no capacity a moment ago (C35)', () => {
    const offering = { instanceType: 'm5.large', zone: 'eu-west-3a', capacityType: 'spot', reason: 'x' } as const;
    const untilMs = NOW_MS + UNAVAILABLE_MS;
    const unavailable = Array.from({ length: 300 }, () => ({ ...offering, untilMs }));
    const { actions, blocked, due } = decide(aStaticPool({ replicas: 2 }, [], { unavailable }));
    expect(actions).toEqual([]);
    expect(blocked).toMatchObject([{ subject: { kind: 'Cluster' }, nodePool: 'general', reason: 'NoCapacity' }]);
    expect(due).toContainEqual({ atMs: NOW_MS + 8 * SECOND, kind: 'settling' });
  });

  test('launches nothing for pending pods, and they do not delay it (B63)', () => {
    const { actions, blocked } = decide(aStaticPool({ replicas: 1 }, [], { pods: [pendingPod()] }));
    expect(actions).toMatchObject([{ kind: 'create-node-claim', nodeClaim: { pods: [] } }]);
    expect(blocked).toContainEqual(expect.objectContaining({ reason: 'StaticCapacity', nodePool: 'general' }));
    const taken = decide(
      aStaticPool({ replicas: 1 }, [{ ...aClaim(), nodePool: 'general' }], { pods: [pendingPod()] }),
    );
    expect(taken.actions).toEqual([]);
  });
});
