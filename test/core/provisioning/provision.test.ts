import { describe, expect, test } from 'vitest';
import type { ClusterSnapshot } from '../../../lib/core/cluster/snapshot.ts';
import { provision } from '../../../lib/core/provisioning/provision.ts';
import { aPoolView } from '../../builders/node-pools.ts';
import { aNode } from '../../builders/nodes.ts';
import { pendingPod, pendingPods, runningPod } from '../../builders/pods.ts';
import { aSnapshot, initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { MINUTE, NOW_MS, SECOND } from '../../builders/times.ts';

function verdictOf(over: Partial<ClusterSnapshot>) {
  return provision(aSnapshot(over), { decisionId: 'decision-1', nowMs: NOW_MS });
}

const going = { deletion: { reason: 'empty', message: '', requestedAtMs: NOW_MS } } as const;

describe('what provisioning decides', () => {
  test('nothing, where every pod has its place', () => {
    expect(verdictOf({ nodes: [aNode()], pods: [runningPod('node-1')] })).toEqual({
      actions: [],
      blocked: [],
      due: [],
    });
  });

  test('one claim for each new node, and nothing for pods that are no business of ours (B6)', () => {
    const pods = [...pendingPods(2, { requests: { cpu: '5' } }), pendingPod({ name: 'daemon', owner: 'DaemonSet' })];
    const { actions } = verdictOf({ pods });
    expect(actions).toMatchObject([
      { kind: 'create-node-claim', nodeClaim: { pods: ['default/web-1'] } },
      { kind: 'create-node-claim', nodeClaim: { pods: ['default/web-2'] } },
    ]);
  });

  test('the same decision twice makes the same claims', () => {
    const pods = pendingPods(9, { requests: { cpu: '5' } });
    const once = verdictOf({ pods }).actions;
    expect(verdictOf({ pods: pods.toReversed() }).actions).toEqual(once);
    const names = once.flatMap((action) => (action.kind === 'create-node-claim' ? [action.nodeClaim.name] : []));
    expect(new Set(names).size).toBe(9);
  });

  test('a node that takes pending pods is promised to them for 20 s (B5)', () => {
    const pods = pendingPods(2);
    expect(verdictOf({ nodes: [aNode()], pods }).actions).toEqual([
      {
        kind: 'nominate-node',
        node: 'node-1',
        pods: ['default/web-1', 'default/web-2'],
        untilMs: NOW_MS + 20 * SECOND,
      },
    ]);
  });

  test('pods of a node that is going get a new place before they are evicted (B7)', () => {
    const snapshot = snapshotOf([initializedNode({}, going)], {
      pods: [runningPod('node-1'), runningPod('node-1', { name: 'daemon', owner: 'DaemonSet' })],
    });
    expect(provision(snapshot, { decisionId: 'decision-1', nowMs: NOW_MS }).actions).toMatchObject([
      { kind: 'create-node-claim', nodeClaim: { pods: ['default/web-1'] } },
    ]);
  });

  test('a node is not promised to pods that only move (B5, B7)', () => {
    const snapshot = snapshotOf([initializedNode({ name: 'old' }, going), initializedNode({ name: 'new' })], {
      pods: [runningPod('old')],
    });
    expect(provision(snapshot, { decisionId: 'decision-1', nowMs: NOW_MS }).actions).toEqual([]);
  });
});

describe('what has no place is said, with the figures', () => {
  test('once for each pool that refused it', () => {
    const nodePools = [
      aPoolView({ name: 'a' }),
      aPoolView({ name: 'b', taints: [{ key: 'team', effect: 'NoSchedule' }] }),
    ];
    expect(verdictOf({ nodePools, pods: [pendingPod({ requests: { cpu: '9' } })] }).blocked).toEqual([
      {
        subject: 'pod default/web-1',
        nodePool: 'b',
        reason: 'Taint',
        message: 'the taint team:NoSchedule is not tolerated',
        numbers: {},
      },
      {
        subject: 'pod default/web-1',
        nodePool: 'a',
        reason: 'InsufficientResources',
        message: 'needs 9 cpu, the largest compatible instance type offers 8',
        numbers: { requested: 9_000, largest: 8_000 },
      },
    ]);
  });

  test('a pod without any pool, and the pools that cannot be used', () => {
    const nodePools = [aPoolView({ unusable: { reason: 'NodeClassNotReady', message: 'its NodeClass is not ready' } })];
    expect(verdictOf({ nodePools, pods: [pendingPod()] }).blocked).toMatchObject([
      { subject: 'pod default/web-1', reason: 'NoNodePool' },
      { subject: 'nodepool general', nodePool: 'general', reason: 'NodeClassNotReady' },
    ]);
  });

  test('it is looked at again when an offering may be back (C32)', () => {
    const offering = { instanceType: 'm5.large', zone: 'eu-west-3a', capacityType: 'spot', reason: 'x' } as const;
    const unavailable = [
      { ...offering, untilMs: NOW_MS + 2 * MINUTE },
      { ...offering, untilMs: NOW_MS + MINUTE },
    ];
    const pods = [pendingPod({ requests: { cpu: '9' } })];
    expect(verdictOf({ pods, unavailable }).due).toEqual([{ atMs: NOW_MS + MINUTE, kind: 'settling' }]);
    expect(verdictOf({ pods: [pendingPod()], unavailable }).due).toEqual([]);
  });
});
