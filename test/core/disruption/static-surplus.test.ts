import { describe, expect, test } from 'vitest';
import { stateNodes } from '../../../lib/core/cluster/state-node.ts';
import { disruptionCost } from '../../../lib/core/disruption/cost.ts';
import { disrupt } from '../../../lib/core/disruption/disrupt.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import { aCommand, candidatesNamed } from '../../builders/decisions.ts';
import { aClaim, claimSpec } from '../../builders/node-claims.ts';
import { aPoolView } from '../../builders/node-pools.ts';
import { type PodOptions, runningPod } from '../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { HOUR, NOW_MS } from '../../builders/times.ts';

const KEPT: PodOptions = { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };

/** A static NodePool: an empty node, one with a daemon that must stay, two with pods, one with a kept pod, and a planned claim. */
function aCluster(replicas: number, over: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  const nodes = ['kept', 'two', 'one', 'empty', 'daemon'].map((name) => initializedNode({ name }));
  const snapshot = snapshotOf(nodes, {
    nodePools: [aPoolView({ replicas })],
    options: { staticCapacity: true },
    pods: [
      runningPod('kept', { name: 'a', ...KEPT }),
      runningPod('two', { name: 'b' }),
      runningPod('two', { name: 'c' }),
      runningPod('one', { name: 'd' }),
      runningPod('daemon', { name: 'e', owner: 'DaemonSet', ...KEPT }),
    ],
    ...over,
  });
  return { ...snapshot, nodeClaims: [...snapshot.nodeClaims, aClaim({ name: 'claim-planned' })] };
}

function deletedFrom(snapshot: ClusterSnapshot): readonly string[] {
  const { actions } = disrupt(snapshot, { decisionId: 'decision-1', nowMs: NOW_MS });
  return actions.flatMap((action) => (action.kind === 'delete-node-claim' ? [action.nodeClaim] : [action.kind]));
}

const ORDER = ['claim-planned', 'claim-empty', 'claim-one', 'claim-two', 'claim-daemon', 'claim-kept'];

describe('D31: a static NodePool with fewer replicas than nodes', () => {
  test.each([6, 5, 4, 3, 2, 1, 0])(
    'of %i replicas loses claims without an instance, empty nodes, cheap nodes, kept nodes',
    (replicas) => {
      expect(deletedFrom(aCluster(replicas))).toEqual(ORDER.slice(0, 6 - replicas));
    },
  );

  test('loses them although its budgets are closed, with the reason', () => {
    const nodePools = [aPoolView({ replicas: 5, disruption: { budgets: [{ nodes: '0' }] } })];
    const { actions } = disrupt(aCluster(5, { nodePools }), { decisionId: 'decision-1', nowMs: NOW_MS });
    expect(actions).toMatchObject([
      { reason: 'overprovisioned', message: 'NodePool general has 6 nodes, and spec.replicas is 5' },
    ]);
  });

  test.each<[string, Partial<ClusterSnapshot>]>([
    ['the feature gate is off', { options: {} }],
    [
      'the NodePool is being deleted',
      { nodePools: [aPoolView({ replicas: 5, deletionTimestamp: '2026-01-31T08:00:00Z' })] },
    ],
    ['the NodePool is invalid (A1.26)', { nodePools: [aPoolView({ replicas: 5, limits: { nodes: 'many' } })] }],
    [
      'a command replaces one of them',
      { commands: [aCommand({ method: 'static-drift', candidates: candidatesNamed('two') })] },
    ],
  ])('loses none while %s', (_, over) => {
    const deleted = deletedFrom(aCluster(5, over)).filter((name) => name !== 'end-disruption');
    expect(deleted).toEqual([]);
  });

  test('loses what is gone already first: a claim whose node has disappeared, and one whose node is being deleted', () => {
    const lost = initializedNode({ name: 'lost' }, { nodeLostAtMs: NOW_MS - HOUR });
    const leaving = initializedNode({ name: 'leaving', deletionTimestamp: '2026-01-31T08:00:00Z' });
    for (const gone of [lost.nodeClaim, leaving.nodeClaim]) {
      const nodes = gone === leaving.nodeClaim ? [leaving.node] : [];
      const before = aCluster(6);
      const snapshot = { ...before, nodes: [...before.nodes, ...nodes], nodeClaims: [...before.nodeClaims, gone] };
      expect(deletedFrom(snapshot)).toEqual([gone.name]);
    }
  });

  test('loses others in place of those whose deletion was refused a short time ago', () => {
    const refused = new Set(['claim-planned', 'claim-empty']);
    const { actions } = disrupt(aCluster(5), { decisionId: 'decision-1', nowMs: NOW_MS, refused });
    expect(actions).toMatchObject([{ kind: 'delete-node-claim', nodeClaim: 'claim-one' }]);
  });

  test('keeps its empty nodes if it has no surplus (E12)', () => {
    const { actions, blocked } = disrupt(aCluster(6), { decisionId: 'decision-1', nowMs: NOW_MS });
    expect(actions).toEqual([]);
    const subject = { kind: 'Node', name: 'empty' };
    expect(blocked).toContainEqual(expect.objectContaining({ subject, reason: 'StaticCapacity' }));
  });
});

test.each<[string, [string, number], number]>([
  ['of a new node is that of its pods', ['720h', 0], 2],
  ['is less for a node with less time left', ['2h', HOUR], 1],
  ['is 0 after the lifetime', ['1h', 2 * HOUR], 0],
  ['of a node that never expires is that of its pods', ['Never', HOUR], 2],
])('E16: the disruption cost %s', (_, [expireAfter, ageMs], expected) => {
  const claim = { spec: claimSpec({ expireAfter }), createdAtMs: NOW_MS - ageMs };
  const pods = [runningPod('a', { name: 'a' }), runningPod('a', { name: 'b' })];
  const [node] = stateNodes(snapshotOf([initializedNode({ name: 'a' }, claim)], { pods }));
  expect(node && disruptionCost(node, NOW_MS)).toBe(expected);
});
