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

const deleted = { deletion: { reason: 'empty', message: '', requestedAtMs: NOW_MS } } as const;

describe('provisioning decides', () => {
  test('nothing if every pod has a node', () => {
    expect(verdictOf({ nodes: [aNode()], pods: [runningPod('node-1')] })).toEqual({
      actions: [],
      blocked: [],
      due: [],
      podNominations: [],
      schedule: { newClaims: [], existing: [], unplaced: [] },
    });
  });

  test('one claim for each new node, and nothing for pods that it must ignore (B6)', () => {
    const pods = [...pendingPods(2, { requests: { cpu: '5' } }), pendingPod({ name: 'daemon', owner: 'DaemonSet' })];
    const { actions } = verdictOf({ pods });
    expect(actions).toMatchObject([
      { kind: 'create-node-claim', nodeClaim: { pods: ['default/web-1'] } },
      { kind: 'create-node-claim', nodeClaim: { pods: ['default/web-2'] } },
    ]);
  });

  test('the same claims for the same decision', () => {
    const pods = pendingPods(9, { requests: { cpu: '5' } });
    const once = verdictOf({ pods }).actions;
    expect(verdictOf({ pods: pods.toReversed() }).actions).toEqual(once);
    const names = once.flatMap((action) => (action.kind === 'create-node-claim' ? [action.nodeClaim.name] : []));
    expect(new Set(names).size).toBe(9);
  });

  test('the launch options of equal claims once: they share them', () => {
    const spot = { 'karpenter.sh/capacity-type': 'spot' };
    const onDemand = { 'karpenter.sh/capacity-type': 'on-demand' };
    const pods = [spot, onDemand].flatMap((nodeSelector, at) =>
      pendingPods(9, { name: `class-${at}`, requests: { cpu: '5' }, spec: { nodeSelector } }),
    );
    const optionsOf = verdictOf({ pods }).actions.flatMap((action) =>
      action.kind === 'create-node-claim' ? [action.nodeClaim.options] : [],
    );
    expect(optionsOf).toHaveLength(18);
    expect(new Set(optionsOf.map((options) => JSON.stringify(options))).size).toBe(2);
    expect(new Set(optionsOf).size).toBe(2);
  });

  test('to nominate an existing node for its pods for two ticks (B5)', () => {
    const pods = pendingPods(2);
    expect(verdictOf({ nodes: [aNode()], pods }).actions).toEqual([
      { kind: 'nominate-node', node: 'node-1', pods: ['default/web-1', 'default/web-2'], untilMs: NOW_MS + 2 * MINUTE },
    ]);
  });

  test('not to nominate a node again that is nominated already', () => {
    expect(verdictOf({ nodes: [aNode()], nominated: ['node-1'], pods: pendingPods(2) }).actions).toEqual([]);
  });

  test('not to nominate a node that starts for the pods of its claim, which is nominated when it is initialized', () => {
    const pods = pendingPods(2);
    const { node, nodeClaim } = initializedNode({ name: 'new', labels: { 'karpenter.sh/initialized': 'false' } });
    const { initializedAtMs: _, ...started } = nodeClaim;
    const starting = (planned: readonly string[]) =>
      snapshotOf([{ node, nodeClaim: { ...started, pods: planned } }], { pods });
    const actionsOf = (planned: readonly string[]) =>
      provision(starting(planned), { decisionId: 'decision-1', nowMs: NOW_MS }).actions;
    expect(actionsOf(['default/web-1'])).toEqual([]);
    expect(actionsOf([])).toMatchObject([{ kind: 'nominate-node', node: 'new' }]);
  });

  test('to nominate an initialized node, which can be disrupted, also before its record has the time of that', () => {
    const { node, nodeClaim } = initializedNode({ name: 'new' }, { pods: ['default/web-1'] });
    const { initializedAtMs: _, ...started } = nodeClaim;
    const snapshot = snapshotOf([{ node, nodeClaim: started }], { pods: pendingPods(1) });
    const { actions } = provision(snapshot, { decisionId: 'decision-1', nowMs: NOW_MS });
    expect(actions).toMatchObject([{ kind: 'nominate-node', node: 'new' }]);
  });

  test('all claims at once, for any number', () => {
    const { actions, due } = verdictOf({ pods: pendingPods(53, { requests: { cpu: '5' } }) });
    expect(actions).toHaveLength(53);
    expect(due).toEqual([]);
  });

  test('why no existing node fits, once for all pods with the same refusal', () => {
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
      const [refusal] = onExistingNodes.filter((one) => one.pods.includes(podKey(pod)));
      expect(refusal?.refusal).toEqual(onNodes);
    }
  });
});

describe('pods of a node that is being deleted get a node before they are evicted (B7)', () => {
  function moving(pods: readonly Pod[], over: Partial<ClusterSnapshot> = {}): readonly Action[] {
    const snapshot = snapshotOf([initializedNode({ name: 'old' }, deleted)], { pods, ...over });
    return provision(snapshot, { decisionId: 'decision-1', nowMs: NOW_MS }).actions;
  }

  test('a new one, except for DaemonSet pods', () => {
    const pods = [runningPod('old'), runningPod('old', { name: 'daemon', owner: 'DaemonSet' })];
    expect(moving(pods)).toMatchObject([{ kind: 'create-node-claim', nodeClaim: { pods: ['default/web-1'] } }]);
  });

  test('or an existing one, which is nominated for them', () => {
    const snapshot = snapshotOf([initializedNode({ name: 'old' }, deleted), initializedNode({ name: 'new' })], {
      pods: [runningPod('old')],
    });
    expect(provision(snapshot, { decisionId: 'decision-1', nowMs: NOW_MS }).actions).toMatchObject([
      { kind: 'nominate-node', node: 'new', pods: ['default/web-1'] },
    ]);
  });

  describe('an existing one with pods of its own is not nominated for pods that no drain reaches now', () => {
    const kept = { name: 'kept', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };
    const critical = { name: 'dns', spec: { priorityClassName: 'system-cluster-critical' } };
    const nominated = (pods: readonly Pod[]): readonly string[] => {
      const snapshot = snapshotOf([initializedNode({ name: 'old' }, deleted), initializedNode({ name: 'new' })], {
        pods,
      });
      const { actions } = provision(snapshot, { decisionId: 'decision-1', nowMs: NOW_MS });
      return actions.flatMap((one) => (one.kind === 'nominate-node' ? one.pods : [one.kind]));
    };
    const own = runningPod('new', { name: 'own' });

    test('a critical pod behind a pod that stays', () => {
      expect(nominated([runningPod('old', kept), runningPod('old', critical), own])).toEqual([]);
    });

    test.each<readonly [string, readonly Pod[]]>([
      ['the other pod is deleted', [runningPod('old', { ...kept, deletionMs: NOW_MS + MINUTE }), own]],
      ['the other pod may be evicted', [runningPod('old', { name: 'kept' }), own]],
      ['the node is empty', [runningPod('old', kept)]],
    ])('but it is if %s', (_, others) => {
      expect(nominated([...others, runningPod('old', critical)])).toContain('default/dns');
    });
  });

  test('pods that will not be evicted are ignored', () => {
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

  test('a pod whose annotation do-not-disrupt ends is placed at that time, not at the next tick', () => {
    const dueOf = (forText: string, node = 'old') => {
      const pod = runningPod(node, { annotations: { 'karpenter.sh/do-not-disrupt': forText } });
      const status = { ...pod.status, startTime: new Date(NOW_MS - MINUTE).toISOString() };
      const snapshot = snapshotOf([initializedNode({ name: 'old' }, deleted), initializedNode({ name: 'new' })], {
        pods: [{ ...pod, status }, pendingPod({ name: 'other', requests: { cpu: '100m' } })],
      });
      return provision(snapshot, { decisionId: 'decision-1', nowMs: NOW_MS }).due;
    };
    expect(dueOf('90s')).toEqual([{ atMs: NOW_MS + 30_000, kind: 'settling' }]);
    expect([dueOf('30s'), dueOf('true'), dueOf('90s', 'new')]).toEqual([[], [], []]);
  });
});

describe('unschedulable pods are reported with the figures', () => {
  test('once for each NodePool', () => {
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
        message: 'needs 9 cpu, but the largest compatible instance type offers 8 cpu',
        numbers: { requested: 9_000, largest: 8_000 },
      },
    ]);
  });

  test('if there is no NodePool, or if NodePools cannot be used, with the reason', () => {
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
    ])('%i unavailable offerings delay the next launch by %i ms', (count, pauseMs) => {
      const { actions, blocked, due } = verdictOf({ pods: [pendingPod()], unavailable: missing(count) });
      expect(actions).toEqual([]);
      expect(blocked).toMatchObject([
        { subject: { kind: 'Pod', namespace: 'default', name: 'web-1' }, nodePool: 'general', reason: 'NoCapacity' },
      ]);
      expect(due).toEqual([{ atMs: NOW_MS + pauseMs, kind: 'settling' }]);
      expect(verdictOf({ pods: [pendingPod()], unavailable: missing(count, pauseMs) }).actions).toHaveLength(1);
    });

    test('those of another placement delay no launch, and those of the tenancy of the pod delay it', () => {
      const marked = (where: object) => missing(300).map((one) => ({ ...one, ...where }));
      const group = { pods: [pendingPod()], unavailable: marked({ placementGroupId: 'pg-1' }) };
      expect(verdictOf(group).actions).toHaveLength(1);
      const ofClass = { pods: [pendingPod()], unavailable: marked({ nodeClass: 'dev/default' }) };
      expect(verdictOf(ofClass).actions).toHaveLength(1);
      const unavailable = marked({ tenancy: 'dedicated' });
      expect(verdictOf({ pods: [pendingPod()], unavailable }).actions).toHaveLength(1);
      const nodeSelector = { 'karpenter.k8s.aws/instance-tenancy': 'dedicated' };
      expect(verdictOf({ pods: [pendingPod({ spec: { nodeSelector } })], unavailable }).blocked).toMatchObject([
        { reason: 'NoCapacity' },
      ]);
    });

    test('equal claims are compared with them once', () => {
      const readsFor = (claims: number): number => {
        let reads = 0;
        const unavailable = missing(1).map((one) => ({
          ...one,
          get instanceType() {
            reads += 1;
            return one.instanceType;
          },
        }));
        const { actions } = verdictOf({ pods: pendingPods(claims, { requests: { cpu: '5' } }), unavailable });
        expect(actions).toHaveLength(claims);
        return reads;
      };
      expect(readsFor(1)).toBeGreaterThan(0);
      expect(readsFor(30)).toBe(readsFor(1));
    });

    test('there is no delay while more offerings are available than unavailable', () => {
      expect(verdictOf({ pods: [pendingPod()], unavailable: missing(1) }).actions).toHaveLength(1);
    });
  });

  test('provisioning runs again when an offering may be available (C32)', () => {
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
