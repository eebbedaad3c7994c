import { describe, expect, test } from 'vitest';
import { type Pod, podKey } from '../../../lib/apis/kubernetes.ts';
import { UNAVAILABLE_MS } from '../../../lib/core/instance-type/offerings/unavailable.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import type { Action } from '../../../lib/core/model/decision.ts';
import { provision } from '../../../lib/core/provisioning/provision.ts';
import { aPoolView } from '../../builders/node-pools.ts';
import { aBudget, aNode } from '../../builders/nodes.ts';
import { pendingPod, pendingPods, runningPod } from '../../builders/pods.ts';
import { aSnapshot, initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { MINUTE, NOW_MS } from '../../builders/times.ts';

function verdictOf(over: Partial<ClusterSnapshot>) {
  return provision(aSnapshot(over), { decisionId: 'decision-1', nowMs: NOW_MS });
}

const ARM = { 'kubernetes.io/arch': 'arm64' };

const going = { deletion: { reason: 'empty', message: '', requestedAtMs: NOW_MS } } as const;

describe('what provisioning decides', () => {
  test('nothing, where every pod has its place', () => {
    expect(verdictOf({ nodes: [aNode()], pods: [runningPod('node-1')] })).toEqual({
      actions: [],
      blocked: [],
      due: [],
      schedule: { newClaims: [], existing: [], unplaced: [] },
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

  test('a node that takes pods is promised to them for two ticks (B5)', () => {
    const pods = pendingPods(2);
    expect(verdictOf({ nodes: [aNode()], pods }).actions).toEqual([
      { kind: 'nominate-node', node: 'node-1', pods: ['default/web-1', 'default/web-2'], untilMs: NOW_MS + 2 * MINUTE },
    ]);
  });

  test('every claim at once, however many there are', () => {
    const { actions, due } = verdictOf({ pods: pendingPods(53, { requests: { cpu: '5' } }) });
    expect(actions).toHaveLength(53);
    expect(due).toEqual([]);
  });

  test('why no existing node takes a pod, once for all pods that were refused alike', () => {
    const pods = [
      ...pendingPods(3, { requests: { cpu: '9' } }),
      pendingPod({ name: 'arm', spec: { nodeSelector: ARM } }),
    ];
    const { onExistingNodes = [], schedule } = verdictOf({ nodes: [aNode()], pods });
    expect(onExistingNodes.map((one) => one.pods)).toEqual([
      ['default/web-1', 'default/web-2', 'default/web-3'],
      ['default/arm'],
    ]);
    for (const { pod, onNodes } of schedule.unplaced) {
      const [told] = onExistingNodes.filter((one) => one.pods.includes(podKey(pod)));
      expect(told?.refusal).toEqual(onNodes);
    }
  });
});

describe('pods of a node that is going get a new place before they are evicted (B7)', () => {
  function moving(pods: readonly Pod[], over: Partial<ClusterSnapshot> = {}): readonly Action[] {
    const snapshot = snapshotOf([initializedNode({ name: 'old' }, going)], { pods, ...over });
    return provision(snapshot, { decisionId: 'decision-1', nowMs: NOW_MS }).actions;
  }

  test('a new one, daemons aside', () => {
    const pods = [runningPod('old'), runningPod('old', { name: 'daemon', owner: 'DaemonSet' })];
    expect(moving(pods)).toMatchObject([{ kind: 'create-node-claim', nodeClaim: { pods: ['default/web-1'] } }]);
  });

  test('or one that is there, which is promised to them', () => {
    const snapshot = snapshotOf([initializedNode({ name: 'old' }, going), initializedNode({ name: 'new' })], {
      pods: [runningPod('old')],
    });
    expect(provision(snapshot, { decisionId: 'decision-1', nowMs: NOW_MS }).actions).toMatchObject([
      { kind: 'nominate-node', node: 'new', pods: ['default/web-1'] },
    ]);
  });

  test('those that will not be evicted stay where they are', () => {
    const labels = { app: 'web' };
    const selector = { matchLabels: labels };
    expect(moving([runningPod('old', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })])).toEqual([]);
    for (const blocking of [{ maxUnavailable: 0 }, { maxUnavailable: '0%' }, { minAvailable: '100%' }]) {
      const podDisruptionBudgets = [aBudget({ spec: { selector, ...blocking } })];
      expect(moving([runningPod('old', { labels })], { podDisruptionBudgets })).toEqual([]);
    }
    const passing = [aBudget({ spec: { selector, maxUnavailable: 1 } })];
    expect(moving([runningPod('old', { labels })], { podDisruptionBudgets: passing })).toHaveLength(1);
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
        subject: { kind: 'Pod', namespace: 'default', name: 'web-1' },
        nodePool: 'b',
        reason: 'Taint',
        message: 'the taint team:NoSchedule is not tolerated',
        numbers: {},
      },
      {
        subject: { kind: 'Pod', namespace: 'default', name: 'web-1' },
        nodePool: 'a',
        reason: 'InsufficientResources',
        message: 'needs 9 cpu, the largest compatible instance type offers 8',
        numbers: { requested: 9_000, largest: 8_000 },
      },
    ]);
  });

  test('a pod without any pool, or with pools that cannot be used, each with its reason', () => {
    expect(verdictOf({ nodePools: [], pods: [pendingPod()] }).blocked).toMatchObject([
      { subject: { kind: 'Pod', namespace: 'default', name: 'web-1' }, reason: 'NoNodePool' },
    ]);
    const nodePools = [aPoolView({ unusable: { reason: 'NodeClassNotReady', message: 'its NodeClass is not ready' } })];
    expect(verdictOf({ nodePools, pods: [pendingPod()] }).blocked).toMatchObject([
      {
        subject: { kind: 'Pod', namespace: 'default', name: 'web-1' },
        nodePool: 'general',
        reason: 'NodeClassNotReady',
      },
    ]);
  });

  test.each([
    {
      what: 'volumes of which nothing is known',
      spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-0' } }] },
      reason: 'StorageUnknown',
    },
    { what: 'resource claims (B60)', spec: { resourceClaims: [{ name: 'data' }] }, reason: 'Unsupported' },
  ])('$what are refused with a reason', ({ spec, reason }) => {
    const { actions, blocked } = verdictOf({ pods: [pendingPod({ spec })] });
    expect(actions).toEqual([]);
    expect(blocked).toMatchObject([{ subject: { kind: 'Pod', namespace: 'default', name: 'web-1' }, reason }]);
    expect(blocked[0]?.message).toContain('data');
  });

  describe('launches that found no capacity (C35)', () => {
    const offering = { instanceType: 'm5.large', zone: 'eu-west-3a', capacityType: 'spot', reason: 'x' } as const;
    const missing = (count: number, ageMs = 0) =>
      Array.from({ length: count }, () => ({ ...offering, untilMs: NOW_MS + UNAVAILABLE_MS - ageMs }));

    test.each([
      [100, 2_000],
      [300, 8_000],
      [5_000, MINUTE],
    ])('%i that are missing make the next one wait %i ms', (count, pauseMs) => {
      const { actions, blocked, due } = verdictOf({ pods: [pendingPod()], unavailable: missing(count) });
      expect(actions).toEqual([]);
      expect(blocked).toMatchObject([
        { subject: { kind: 'Pod', namespace: 'default', name: 'web-1' }, nodePool: 'general', reason: 'NoCapacity' },
      ]);
      expect(due).toEqual([{ atMs: NOW_MS + pauseMs, kind: 'settling' }]);
      expect(verdictOf({ pods: [pendingPod()], unavailable: missing(count, pauseMs) }).actions).toHaveLength(1);
    });

    test('nobody waits while more is left to try than is missing', () => {
      expect(verdictOf({ pods: [pendingPod()], unavailable: missing(1) }).actions).toHaveLength(1);
    });
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
