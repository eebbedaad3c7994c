import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { optional } from '../../../lib/apis/optional.ts';
import type { QuotaFamily, ScenarioEvent } from '../../../lib/apis/scenario/scenario.ts';
import { quotaFamilyOf } from '../../../lib/core/instance-type/quota-family.ts';
import { aDeployment, aStatefulSet, someManifests } from '../../builders/cluster-manifests.ts';
import { aNodePool, asking } from '../../builders/node-pools.ts';
import { entriesOf, played, saidOf } from './played.ts';

/** Nodes of 2 vCPUs, each with room for one pod. */
function manifests(pods: number, capacityType = 'on-demand'): ReturnType<typeof someManifests> {
  const pool = aNodePool({
    requirements: [
      asking('karpenter.sh/capacity-type', 'In', capacityType),
      asking('topology.kubernetes.io/zone', 'In', 'us-east-1a'),
      asking('node.kubernetes.io/instance-type', 'In', 'c7g.large'),
    ],
    disruption: { budgets: [{ nodes: '100%' }], consolidateAfter: 'Never', consolidationPolicy: 'WhenEmpty' },
  });
  return someManifests({ nodePools: [pool], deployments: [aDeployment('web', pods, '1500m')] });
}

describe('a throttled API', () => {
  test('of EC2 lets no launch through until it ends', async () => {
    const throttle = { kind: 'throttle', atMs: 0, api: 'ec2', percent: 100, forMs: 5 * MINUTE_MS } as const;
    const result = await played([throttle], { manifests: manifests(1) });
    const [launched] = entriesOf(result, 'instance-launched');
    expect(launched?.at).toBeGreaterThan(300);
    expect(launched?.at).toBeLessThan(420);
    expect(saidOf(result)).toEqual(['0 EC2 throttles 100 % of the calls for 5m', '300 EC2 throttles no more calls']);
    expect(result).toMatchObject({ podsRunning: 1, nodesLaunched: 1 });
  });

  test('throttles until the last of several throttles ends', async () => {
    const throttle = { kind: 'throttle', api: 'ec2', percent: 50 } as const;
    const events = [
      { ...throttle, atMs: 0, forMs: 5 * MINUTE_MS },
      { ...throttle, atMs: 4 * MINUTE_MS, forMs: 2 * MINUTE_MS },
    ];
    expect(saidOf(await played(events, { manifests: manifests(1) }))).toEqual([
      '0 EC2 throttles 50 % of the calls for 5m',
      '240 EC2 throttles 50 % of the calls for 2m',
      '360 EC2 throttles no more calls',
    ]);
  });

  test.each(['kubernetes', 'dynamodb', 'sqs', 'eks', 'iam'] as const)(
    'of %s by half for 10 minutes loses no pod and launches no second node',
    async (api) => {
      const throttle = { kind: 'throttle', atMs: 0, api, percent: 50, forMs: 10 * MINUTE_MS } as const;
      const result = await played([throttle], { manifests: manifests(2) });
      expect(result).toMatchObject({ podsRunning: 2, podsPending: [], nodesLaunched: 2, nodesAtEnd: 2 });
    },
  );
});

describe('boots', () => {
  test('that are slow by 5 minutes delay the nodes by exactly that', async () => {
    const usual = await played([], { manifests: manifests(1) });
    const slow = await played([{ kind: 'boots', atMs: 0, slowByMs: 5 * MINUTE_MS, failPercent: 0 }], {
      manifests: manifests(1),
    });
    const joinedAt = [usual, slow].map((result) => entriesOf(result, 'node-joined')[0]?.at ?? 0);
    expect((joinedAt[1] ?? 0) - (joinedAt[0] ?? 0)).toBeCloseTo(300, 3);
    expect(saidOf(slow)).toEqual(['0 new instances register 5m later']);
  });

  test('that fail never register; Kerf replaces them after its 15 minutes', async () => {
    const boots = { kind: 'boots', atMs: 0, failPercent: 100, forMs: 5 * MINUTE_MS } as const;
    const result = await played([boots], { manifests: manifests(1) });
    const [first, second] = entriesOf(result, 'instance-launched');
    expect(entriesOf(result, 'node-joined').map(({ nodeClaim }) => nodeClaim)).toEqual([second?.nodeClaim]);
    const [deleted] = entriesOf(result, 'delete-node-claim');
    expect(deleted).toMatchObject({ nodeClaim: first?.nodeClaim });
    expect((deleted?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(14 * 60);
    expect(saidOf(result)).toEqual([
      '0 100 % of new instances never register for 5m',
      '300 new instances boot as usual again',
    ]);
  });

  test('of other types and zones boot as usual', async () => {
    const boots = { kind: 'boots', atMs: 0, failPercent: 100 } as const;
    const events = [
      { ...boots, instanceTypes: ['m7g.large'] },
      { ...boots, zones: ['us-east-1b'] },
    ];
    const result = await played(events, { manifests: manifests(1) });
    expect(result).toMatchObject({ podsRunning: 1, nodesLaunched: 1 });
  });
});

describe('a quota of vCPUs', () => {
  const quota = { kind: 'quota', atMs: 0, capacityType: 'on-demand', family: 'standard', vcpus: 5 } as const;

  test('allows as many nodes as fit: two nodes of 2 vCPUs in 5', async () => {
    const result = await played([quota], { manifests: manifests(4) });
    expect(entriesOf(result, 'instance-launched')).toHaveLength(2);
    expect(result).toMatchObject({ podsRunning: 2, nodesAtEnd: 2 });
    expect(result.podsPending).toHaveLength(2);
    expect(new Set(entriesOf(result, 'launch-refused').map(({ message }) => message))).toEqual(
      new Set(['none of 1 offerings has capacity: 1 are above a quota (VcpuLimitExceeded)']),
    );
    expect(saidOf(result)).toEqual(['0 the quota for on-demand instances of standard families is 5 vCPUs from now on']);
  });

  test('that ends lets the other nodes begin', async () => {
    const result = await played([{ ...quota, forMs: 10 * MINUTE_MS }], { manifests: manifests(4) });
    const after = entriesOf(result, 'instance-launched').filter(({ at }) => at > 600);
    expect(after).toHaveLength(2);
    expect(result).toMatchObject({ podsRunning: 4, podsPending: [] });
  });

  test('is as before when the last of several quotas ends', async () => {
    const second = { ...quota, atMs: 5 * MINUTE_MS, vcpus: 9, forMs: 15 * MINUTE_MS };
    const result = await played([{ ...quota, forMs: 10 * MINUTE_MS }, second], { manifests: manifests(1) });
    expect(saidOf(result).slice(2)).toEqual([
      '1200 the quota for on-demand instances of standard families is as before',
    ]);
  });

  test('of spot counts spot instances only, with the error of spot', async () => {
    const onDemand = await played([{ ...quota, capacityType: 'spot' }], { manifests: manifests(4) });
    expect(onDemand).toMatchObject({ podsRunning: 4 });
    const spot = await played([{ ...quota, capacityType: 'spot' }], { manifests: manifests(4, 'spot') });
    expect(spot).toMatchObject({ podsRunning: 2 });
    expect(entriesOf(spot, 'launch-refused')[0]?.message).toContain('MaxSpotInstanceCountExceeded');
  });

  test.each<readonly [string, QuotaFamily]>([
    ['m7g.large', 'standard'],
    ['im4gn.large', 'standard'],
    ['z1d.large', 'standard'],
    ['g5.xlarge', 'g'],
    ['gr6.4xlarge', 'g'],
    ['vt1.3xlarge', 'g'],
    ['p5.48xlarge', 'p'],
    ['x2gd.medium', 'x'],
    ['inf2.xlarge', 'inf'],
    ['trn1.2xlarge', 'trn'],
    ['hpc7a.12xlarge', 'hpc'],
    ['u-3tb1.56xlarge', 'u'],
    ['u7i-12tb.224xlarge', 'u'],
    ['f2.6xlarge', 'f'],
    ['dl2q.24xlarge', 'dl'],
  ])('counts %s in %s', (type, family) => {
    expect(quotaFamilyOf(type)).toBe(family);
  });
});

function byHand(what: 'stop-kubelet' | 'lose-node', forMs?: number): ScenarioEvent {
  const fault = { kind: 'by-hand', what, nth: 0 } as const;
  return { kind: 'fault', atMs: 10 * MINUTE_MS, fault, ...optional({ forMs }) };
}

describe('a fault of the fault tester', () => {
  test('is played by its name, and its line says what it does', async () => {
    const fault = { kind: 'machines', how: 'never-join', percent: 100 } as const;
    const result = await played([{ kind: 'fault', atMs: 0, fault, forMs: 5 * MINUTE_MS }], { manifests: manifests(1) });
    expect(result).toMatchObject({ nodesLaunched: 2, podsRunning: 1 });
    expect(saidOf(result)).toEqual(['0 fault machines, how never-join, percent 100 for 5m', '300 fault machines ends']);
  });

  test('that makes pods slow lets a deleted pod take its own grace period', async () => {
    const spec = { containers: [], terminationGracePeriodSeconds: 120 };
    const pod = { metadata: { name: 'one', namespace: 'default' }, spec };
    const events: readonly ScenarioEvent[] = [
      { kind: 'fault', atMs: 0, fault: { kind: 'slow-pods', percent: 100 } },
      { kind: 'deletePod', atMs: 10 * MINUTE_MS, pod: 'default/one' },
    ];
    const result = await played(events, { manifests: { ...manifests(0), pods: [pod] } });
    expect(entriesOf(result, 'pod-ended')).toMatchObject([{ at: 720 }]);
  });

  describe('by hand', () => {
    test('that stops a kubelet makes the node unreachable after 50 s, and its pod is replaced 5 minutes later', async () => {
      const result = await played([byHand('stop-kubelet')], { manifests: manifests(2) });
      const [lost] = entriesOf(result, 'node-unreachable');
      expect(lost?.at).toBe(650);
      expect(entriesOf(result, 'pod-evicted')).toMatchObject([{ at: 950, node: lost?.node }]);
      expect(entriesOf(result, 'pod-ended')).toEqual([]);
      expect(entriesOf(result, 'node-ready').filter(({ at }) => at > 1_020)).toEqual([]);
      const [, , replaced] = entriesOf(result, 'pod-running');
      expect(replaced?.at).toBeGreaterThan(980);
      expect(replaced?.at).toBeLessThan(1_020);
    });

    test('that stops a kubelet leaves the pod of a StatefulSet unreachable, and the summary says so', async () => {
      const { nodePools } = manifests(0);
      const statefulSets = [aStatefulSet('db', { replicas: 2 })];
      const result = await played([byHand('stop-kubelet')], {
        manifests: someManifests({ nodePools, deployments: [], statefulSets }),
      });
      expect(entriesOf(result, 'pod-evicted')).toHaveLength(1);
      expect(result).toMatchObject({ podsRunning: 2, podsUnreachable: 1, nodesAtEnd: 2 });
    });

    test('that stops a kubelet for 2 minutes changes no pod', async () => {
      const result = await played([byHand('stop-kubelet', 2 * MINUTE_MS)], { manifests: manifests(2) });
      const ready = entriesOf(result, 'node-ready').at(-1);
      expect(entriesOf(result, 'node-unreachable')).toMatchObject([{ at: 650, node: ready?.node }]);
      expect(ready?.at).toBe(720);
      expect(entriesOf(result, 'pod-evicted')).toEqual([]);
      expect(result).toMatchObject({ nodesLaunched: 2, podsRunning: 2 });
    });

    test('that loses a node names the time after which it registers again', async () => {
      const result = await played([byHand('lose-node', 5 * MINUTE_MS)], { manifests: manifests(2) });
      expect(saidOf(result)[1]).toMatch(
        /^600 fault 1: node \S+ is removed without its finalizers; its kubelet registers it again in 5m$/,
      );
      expect(entriesOf(result, 'register-node').filter(({ at }) => at >= 900 && at < 910)).toHaveLength(1);
    });
  });

  test('is the same each time for one seed', async () => {
    const fault = { kind: 'calls-fail', calls: ['*'], error: 500, where: 'after', percent: 10 } as const;
    const runs = [1, 2].map(async () =>
      played([{ kind: 'fault', atMs: 0, fault, forMs: 5 * MINUTE_MS }], { manifests: manifests(3) }),
    );
    const [first, second] = await Promise.all(runs);
    expect(JSON.stringify(first)).toBe(JSON.stringify(second));
    expect(first).toMatchObject({ podsRunning: 3 });
  });
});
