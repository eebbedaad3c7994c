import { describe, expect, test } from 'vitest';
import { disrupt } from '../../../lib/core/disruption/disrupt.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import { someBufferPods } from '../../builders/capacity-buffers.ts';
import { aPoolView } from '../../builders/node-pools.ts';
import { pendingPod } from '../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { NOW_MS, SECOND } from '../../builders/times.ts';

/** Empty nodes of two CPUs, `a` and on. */
function emptyNodes(names: readonly string[], over: Partial<ClusterSnapshot>): ClusterSnapshot {
  const nodePools = [aPoolView({ disruption: { budgets: [{ nodes: '100%' }] } })];
  return snapshotOf(
    names.map((name) => initializedNode({ name })),
    { nodePools, ...over },
  );
}

function decide(snapshot: ClusterSnapshot, nowMs = NOW_MS) {
  return disrupt(snapshot, { decisionId: 'decision-1', nowMs });
}

function startedFor(snapshot: ClusterSnapshot): readonly string[] {
  return decide(snapshot).actions.flatMap((action) =>
    action.kind === 'start-disruption' ? action.command.candidates.map(({ node }) => node) : [],
  );
}

describe('an empty node that reserves capacity for a CapacityBuffer is not deleted (A5.6)', () => {
  test('as many nodes as the buffer needs, and no more', () => {
    const requests = { cpu: '1500m' };
    expect(startedFor(emptyNodes(['a', 'b', 'c'], {}))).toEqual(['a', 'b', 'c']);
    expect(startedFor(emptyNodes(['a', 'b', 'c'], { bufferPods: someBufferPods(1, requests) }))).toEqual(['b', 'c']);
    expect(startedFor(emptyNodes(['a', 'b', 'c'], { bufferPods: someBufferPods(2, requests) }))).toEqual(['c']);
    expect(startedFor(emptyNodes(['a', 'b', 'c'], { bufferPods: someBufferPods(9, requests) }))).toEqual([]);
  });

  test('and says for which', () => {
    expect(decide(emptyNodes(['a'], { bufferPods: someBufferPods(1) })).blocked).toMatchObject([
      {
        subject: { kind: 'Node', name: 'a' },
        nodePool: 'general',
        reason: 'KeepsBuffer',
        message: 'the node reserves capacity for capacitybuffer default/spare',
      },
    ]);
  });

  test('beside the room that pods are about to take', () => {
    const requests = { cpu: '1500m' };
    const snapshot = emptyNodes(['a', 'b', 'c'], {
      pods: [pendingPod({ requests, createdAtMs: NOW_MS - SECOND })],
      bufferPods: someBufferPods(1, requests),
    });
    expect(startedFor(snapshot)).not.toContain('b');
  });

  test('also where the buffer came after the node was written down for disruption', () => {
    const [action] = decide(emptyNodes(['a', 'b'], {})).actions;
    if (action?.kind !== 'start-disruption') throw new Error('both are empty');
    const later = emptyNodes(['a', 'b'], { commands: [action.command], bufferPods: someBufferPods(1) });
    expect(decide(later, NOW_MS + 15 * SECOND).actions).toMatchObject([
      { kind: 'delete-node-claim', nodeClaim: 'claim-b' },
      { kind: 'end-disruption', outcome: 'executed' },
    ]);
  });
});
