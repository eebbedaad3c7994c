import { describe, expect, test } from 'vitest';
import type { Affinity, Pod, PodSpec } from '../../../../lib/apis/kubernetes.ts';
import type { ClusterSnapshot } from '../../../../lib/core/model/cluster-snapshot.ts';
import { provision } from '../../../../lib/core/provisioning/provision.ts';
import { anInstanceType } from '../../../builders/instance-types.ts';
import { aClaim, claimSpec, launchedClaim } from '../../../builders/node-claims.ts';
import { aPoolView, asking, type NodePoolViewOptions } from '../../../builders/node-pools.ts';
import { aDaemonSet, aNode } from '../../../builders/nodes.ts';
import { affinityTerm, avoiding, pendingPod, pendingPods, runningPod, spread } from '../../../builders/pods.ts';
import { aSnapshot, initializedNode, snapshotOf } from '../../../builders/snapshots.ts';
import { NOW_MS } from '../../../builders/times.ts';
import { place, placesOf, podsOfClaims } from '../problems.ts';

describe('an existing node is used before a new one (B33)', () => {
  test('a pod that fits on a node opens no claim', () => {
    const schedule = place([pendingPod()], { nodes: [aNode()] });
    expect(placesOf(schedule)).toEqual({ 'web-1': 'node-1' });
    expect(schedule.newClaims).toEqual([]);
  });

  test('a pod that tolerates the taint lands on the tainted node', () => {
    const nodes = [aNode({ taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }] })];
    const tolerant = pendingPod({ spec: { tolerations: [{ key: 'team', operator: 'Exists' }] } });
    expect(placesOf(place([tolerant], { nodes }))).toEqual({ 'web-1': 'node-1' });
    expect(placesOf(place([pendingPod()], { nodes }))).toEqual({});
  });

  test('running pods reduce the free room', () => {
    const cluster = { nodes: [aNode()], pods: [runningPod('node-1', { name: 'big', requests: { cpu: '1600m' } })] };
    expect(placesOf(place([pendingPod({ requests: { cpu: '400m' } })], cluster))).toEqual({ 'web-1': 'node-1' });
    expect(placesOf(place([pendingPod({ requests: { cpu: '401m' } })], cluster))).toEqual({});
  });

  test('a placed pod reduces the room for the next one', () => {
    const schedule = place(pendingPods(3, { requests: { cpu: '1' } }), { nodes: [aNode()] });
    expect(Object.keys(placesOf(schedule))).toHaveLength(2);
    expect(schedule.newClaims).toHaveLength(1);
  });

  test.each(['nothing-has-this', 'constructor', 'toString', 'valueOf'])(
    'a node whose pod refuses pods without the label %s takes none of them, so a claim is created',
    (key) => {
      const matchExpressions = [{ key, operator: 'DoesNotExist' as const }];
      const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchExpressions } };
      const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
      const pods = [
        runningPod('node-1', { name: 'alone', labels: { [key]: 'mine' }, spec: { affinity: { podAntiAffinity } } }),
        pendingPod(),
      ];
      const { actions } = provision(snapshotOf([initializedNode()], { pods }), { decisionId: 'd', nowMs: NOW_MS });
      expect(actions.map(({ kind }) => kind)).toEqual(['create-node-claim']);
    },
  );

  test.each(['nothing-has-this', 'constructor'])(
    'pods and nodes without the label %s count as such for a spread',
    (key) => {
      const matchExpressions = [{ key, operator: 'DoesNotExist' as const }];
      const required = { nodeSelectorTerms: [{ matchExpressions }] };
      const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: required };
      const nodes = [aNode({ name: 'node-1', zone: 'eu-west-3a' }), aNode({ name: 'node-2', zone: 'eu-west-3b' })];
      const labels = { app: 'web' };
      const there = runningPod('node-1', { name: 'there', labels });
      const chosen: Partial<PodSpec>[] = [
        { affinity: { nodeAffinity }, topologySpreadConstraints: [spread()] },
        { topologySpreadConstraints: [spread({ matchLabelKeys: [key] })] },
      ];
      for (const spec of chosen)
        expect(placesOf(place([pendingPod({ labels, spec })], { nodes, pods: [there] }))).toEqual({
          'web-1': 'node-2',
        });
    },
  );

  test('the node must have the label that the pod selects', () => {
    const pods = [pendingPod({ spec: { nodeSelector: { team: 'a' } } })];
    expect(placesOf(place(pods, { nodes: [aNode()] }))).toEqual({});
    expect(placesOf(place(pods, { nodes: [aNode({ labels: { team: 'a' } })] }))).toEqual({ 'web-1': 'node-1' });
  });

  test('a used host port excludes the pod (B58)', () => {
    const ports = [{ name: 'main', ports: [{ hostPort: 80 }] }];
    const pods = [runningPod('node-1', { name: 'first', containers: ports })];
    expect(placesOf(place([pendingPod({ containers: ports })], { nodes: [aNode()], pods }))).toEqual({});
  });

  test('a node that is being deleted accepts no pods', () => {
    const going = initializedNode({}, { deletion: { reason: 'empty', message: '', requestedAtMs: NOW_MS } });
    expect(placesOf(place([pendingPod()], snapshotOf([going])))).toEqual({});
  });

  test('room is reserved for daemons that are not running yet (B17)', () => {
    const daemonSets = [
      aDaemonSet('logs', { containers: [{ name: 'main', resources: { requests: { cpu: '300m' } } }] }),
    ];
    const tight = pendingPod({ requests: { cpu: '1800m' } });
    expect(placesOf(place([tight], { nodes: [aNode()], daemonSets }))).toEqual({});
    const present = runningPod('node-1', {
      name: 'logs-1',
      owner: 'DaemonSet',
      ownerUid: 'uid-logs',
      requests: { cpu: '100m' },
    });
    expect(placesOf(place([tight], { nodes: [aNode()], daemonSets, pods: [present] }))).toEqual({ 'web-1': 'node-1' });
  });

  test('a host port of a daemon that is not running yet counts as used (B58)', () => {
    const containers = [{ name: 'main', ports: [{ hostPort: 9_100 }] }];
    const schedule = place([pendingPod({ containers })], {
      nodes: [aNode()],
      nodePools: [],
      daemonSets: [aDaemonSet('exporter', { containers })],
    });
    expect(placesOf(schedule)).toEqual({});
  });

  test('a node with a PreferNoSchedule taint is used only if no other place fits (B61)', () => {
    const soft = aNode({ taints: [{ key: 'soft', effect: 'PreferNoSchedule' }] });
    expect(place([pendingPod()], { nodes: [soft] }).newClaims).toHaveLength(1);
    expect(placesOf(place([pendingPod()], { nodes: [soft], nodePools: [] }))).toEqual({ 'web-1': 'node-1' });
  });

  test('a taint that others prefer pods to avoid does not buy another node for pods of a node of Kerf (B16)', () => {
    const draining = initializedNode(
      { name: 'node-1' },
      { deletion: { reason: 'deleted', message: '', requestedAtMs: NOW_MS } },
    );
    const tainted = initializedNode({ name: 'node-2', taints: [{ key: 'descheduler', effect: 'PreferNoSchedule' }] });
    const nodePools = [aPoolView({ types: [anInstanceType()] })];
    const snapshot = snapshotOf([draining, tainted], { nodePools, pods: [runningPod('node-1', { name: 'web-1' })] });
    expect(created(snapshot)).toEqual([]);
  });

  test('a claim in flight accepts pods as a node does (B15)', () => {
    const schedule = place([pendingPod()], { nodeClaims: [aClaim({ name: 'general-x' })] });
    expect(placesOf(schedule)).toEqual({ 'web-1': 'general-x' });
  });

  test('a claim in flight does not accept a pod that one of its possible types excludes', () => {
    const nodeClaims = [aClaim({ spec: claimSpec({ requirements: [asking('gpu', 'DoesNotExist')] }) })];
    expect(placesOf(place([pendingPod({ spec: { nodeSelector: { gpu: 'a100' } } })], { nodeClaims }))).toEqual({});
    const picky = pendingPod({
      spec: { affinity: requiring(asking('karpenter.k8s.aws/instance-family', 'NotIn', 'm5')) },
    });
    expect(placesOf(place([picky], { nodeClaims }))).toEqual({});
  });

  test('a claim in flight reserves room for the daemons of every type that it may be launched as', () => {
    const daemonSets = [
      aDaemonSet('logs', { containers: [{ name: 'main', resources: { requests: { cpu: '500m' } } }] }),
    ];
    const nodePools = [aPoolView({ types: [anInstanceType()] })];
    const first = pendingPod({ name: 'first', requests: { cpu: '1400m' } });
    const [record] = created(aSnapshot({ pods: [first], nodePools, daemonSets }));
    const second = pendingPod({ name: 'second', requests: { cpu: '400m' } });
    const schedule = place([first, second], {
      nodePools,
      daemonSets,
      nodeClaims: record === undefined ? [] : [record],
    });
    expect(placesOf(schedule)).toEqual({ first: record?.name });
    expect(podsOfClaims(schedule)).toEqual([['second']]);
  });
});

function requiring(...matchExpressions: readonly ReturnType<typeof asking>[]): Affinity {
  return {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
  };
}

function created(snapshot: ClusterSnapshot) {
  return provision(snapshot, { decisionId: 'decision-1', nowMs: NOW_MS }).actions.flatMap((action) =>
    action.kind === 'create-node-claim' ? [action.nodeClaim] : [],
  );
}

const labels = { app: 'web' };
const cpu = (amount: string) => ({ requests: { cpu: amount } });
const mixture = [
  anInstanceType({ name: 'c5.xlarge', cpu: 4, memoryGib: 8 }),
  anInstanceType({ name: 'r5.large', cpu: 2, memoryGib: 16 }),
  anInstanceType({ name: 'm5.2xlarge', cpu: 8, memoryGib: 32 }),
];

describe('claims in flight keep the pods for which they were created: the same pods open no new claim', () => {
  test.each<[string, readonly Pod[], NodePoolViewOptions]>([
    ['alike', pendingPods(7), {}],
    ['of any size', [pendingPod({ ...cpu('7'), name: 'a' }), pendingPod({ ...cpu('1'), name: 'b' })], {}],
    [
      'with an odd amount of memory',
      pendingPods(3, { requests: { cpu: '1', memory: '2500000001' } }),
      { types: mixture },
    ],
    [
      'that select a zone',
      pendingPods(2, { spec: { nodeSelector: { 'topology.kubernetes.io/zone': 'eu-west-3b' } } }),
      {},
    ],
    [
      'that avoid a family',
      pendingPods(2, { spec: { affinity: requiring(asking('karpenter.k8s.aws/instance-family', 'NotIn', 'r5')) } }),
      { types: mixture },
    ],
    [
      'that require more than a number of CPUs',
      pendingPods(2, { spec: { affinity: requiring(asking('karpenter.k8s.aws/instance-cpu', 'Gt', '2')) } }),
      {},
    ],
    [
      'that exclude one value of the CPU label',
      pendingPods(2, {
        spec: {
          affinity: requiring(
            asking('karpenter.k8s.aws/instance-cpu', 'Exists'),
            asking('karpenter.k8s.aws/instance-cpu', 'NotIn', '2'),
          ),
        },
      }),
      {},
    ],
    [
      'that exclude a user-defined label',
      pendingPods(2, { spec: { affinity: requiring(asking('team', 'NotIn', 'a')) } }),
      {},
    ],
    [
      'that select a label of the pool',
      pendingPods(2, { spec: { nodeSelector: { team: 'b' } } }),
      { requirements: [asking('team', 'In', 'a', 'b')] },
    ],
    ['that spread over zones', pendingPods(6, { labels, spec: { topologySpreadConstraints: [spread()] } }), {}],
    [
      'that spread over hosts',
      pendingPods(4, {
        labels,
        spec: { topologySpreadConstraints: [spread({ topologyKey: 'kubernetes.io/hostname' })] },
      }),
      {},
    ],
    ['that keep to themselves in a zone', pendingPods(3, { labels, spec: { affinity: avoiding(affinityTerm()) } }), {}],
    [
      'that tolerate the pool’s taint',
      pendingPods(2, { spec: { tolerations: [{ operator: 'Exists' }] } }),
      { taints: [{ key: 'team', effect: 'NoSchedule' }] },
    ],
    ['of a pool with startup taints', pendingPods(2), { startupTaints: [{ key: 'cni', effect: 'NoSchedule' }] }],
  ])('pods %s', (_, pods, pool) => {
    const snapshot = aSnapshot({ pods, nodePools: [aPoolView(pool)] });
    const nodeClaims = created(snapshot);
    expect(nodeClaims.length).toBeGreaterThan(0);
    expect(created({ ...snapshot, nodeClaims })).toEqual([]);
  });

  test('the requests of a running daemon are subtracted once', () => {
    const daemonSets = [aDaemonSet('logs')];
    const snapshot = aSnapshot({ pods: pendingPods(5), daemonSets, nodePools: [aPoolView({ types: mixture })] });
    expect(created({ ...snapshot, nodeClaims: created(snapshot) })).toEqual([]);
  });

  test('the same after the claim was launched', () => {
    const pods = pendingPods(2);
    const nodeClaims = [launchedClaim({ pods: ['default/web-1', 'default/web-2'] })];
    expect(created(aSnapshot({ pods, nodeClaims }))).toEqual([]);
  });

  test('an unschedulable pod does not displace a pod that has a claim', () => {
    const keepsAway = { labels, spec: { affinity: avoiding(affinityTerm()) } };
    const late = pendingPod({ name: 'late', requests: { cpu: '1500m' }, ...keepsAway });
    const early = pendingPod({ name: 'early', requests: { cpu: '1' }, ...keepsAway });
    const nodePools = [aPoolView({ requirements: [asking('topology.kubernetes.io/zone', 'In', 'eu-west-3a')] })];
    const nodeClaims = created(aSnapshot({ pods: [early], nodePools }));
    const schedule = place([late, early], { nodePools, nodeClaims });
    expect(placesOf(schedule)).toEqual({ early: nodeClaims[0]?.name });
    expect(schedule.unplaced.map(({ pod }) => pod.metadata.name)).toEqual(['late']);
  });

  test('a claim that was created with a relaxed preference keeps its pod if the preference can be satisfied later', () => {
    const preference = { matchExpressions: [asking('team', 'In', 'b')] };
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] } };
    const pods = [pendingPod({ spec: { affinity } })];
    const nodeClaims = created(aSnapshot({ pods }));
    expect(nodeClaims).toHaveLength(1);
    expect(created(aSnapshot({ pods, nodeClaims, nodePools: [aPoolView({ labels: { team: 'b' } })] }))).toEqual([]);
  });

  test('their own pods are placed first, so that no other pod takes the room', () => {
    const other = aClaim({ name: 'general-a', pods: [] });
    const mine = aClaim({ name: 'general-b', pods: ['default/web-1'] });
    expect(placesOf(place([pendingPod()], { nodeClaims: [other, mine] }))).toEqual({ 'web-1': 'general-b' });
  });
});

test('a node that replaces another keeps the pods for which it was created until they have moved', () => {
  const onDemand = { 'karpenter.sh/capacity-type': 'on-demand' };
  const one = { requests: { cpu: '1500m' } };
  const old = initializedNode(
    { name: 'old', labels: onDemand },
    { deletion: { reason: 'drifted', message: '', requestedAtMs: NOW_MS } },
  );
  const pods = [
    runningPod('old', { ...one, name: 'anywhere' }),
    runningPod('old', { ...one, name: 'web', spec: { nodeSelector: onDemand } }),
  ];
  // Without this, the first pod would take the room of the other one.
  const replacements = [
    initializedNode({ name: 'a', labels: onDemand }, { command: 'c', pods: ['default/web'] }),
    initializedNode({ name: 'b', labels: { 'karpenter.sh/capacity-type': 'spot' } }, { command: 'c', pods: [] }),
  ];
  const snapshot = snapshotOf([old, ...replacements], { pods });
  expect(provision(snapshot, { decisionId: 'decision-1', nowMs: NOW_MS }).schedule).toMatchObject({
    newClaims: [],
    existing: [{ stateNode: { name: 'a' } }, { stateNode: { name: 'b' } }],
  });
});
