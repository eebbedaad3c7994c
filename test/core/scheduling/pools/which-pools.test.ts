import { describe, expect, test } from 'vitest';
import { anInstanceType, anOffering } from '../../../builders/instance-types.ts';
import { aPoolView, asking, type NodePoolViewOptions } from '../../../builders/node-pools.ts';
import { aNode } from '../../../builders/nodes.ts';
import { pendingPod, pendingPods, runningPod } from '../../../builders/pods.ts';
import { NOW_MS } from '../../../builders/times.ts';
import { place, placesOf, poolsOf, refusalsOf, typesOf } from '../problems.ts';

const ZONE = 'topology.kubernetes.io/zone';
const FAMILY = 'karpenter.k8s.aws/instance-family';

describe('the order of pools', () => {
  test.each<[string, readonly NodePoolViewOptions[], string]>([
    ['one without a weight weighs nothing', [{ name: 'z' }, { name: 'a', weight: 1 }], 'a'],
    [
      'weights are numbers',
      [
        { name: 'nine', weight: 9 },
        { name: 'ten', weight: 10 },
      ],
      'ten',
    ],
    [
      'with equal weight, the last by name comes first',
      [
        { name: 'b', weight: 5 },
        { name: 'c', weight: 5 },
        { name: 'a', weight: 5 },
      ],
      'c',
    ],
    [
      'in any order of the list',
      [
        { name: 'c', weight: 5 },
        { name: 'b', weight: 5 },
      ],
      'c',
    ],
  ])('%s (B12)', (_, pools, heaviest) => {
    expect(poolsOf(place([pendingPod()], { nodePools: pools.map(aPoolView) }))).toEqual([heaviest]);
  });
});

describe('the types of a pool', () => {
  const m5 = anInstanceType({ name: 'm5.large' });
  const c5 = anInstanceType({ name: 'c5.large' });

  test('are those that match its requirements and its labels (B13)', () => {
    const types = [m5, c5];
    const left = (options: NodePoolViewOptions) =>
      typesOf(place([pendingPod()], { nodePools: [aPoolView({ types, ...options })] }));
    expect(left({ requirements: [asking(FAMILY, 'In', 'c5')] })).toEqual([['c5.large']]);
    expect(left({ labels: { [FAMILY]: 'm5' } })).toEqual([['m5.large']]);
  });

  test('are those with an available offering that the pool allows (B13)', () => {
    const sold = anOffering('eu-west-3a', 'spot');
    const types = [
      anInstanceType({ name: 'a.large', offerings: [{ ...sold, available: false }] }),
      anInstanceType({ name: 'b.large', offerings: [anOffering('eu-west-3b', 'spot')] }),
      anInstanceType({ name: 'c.large', offerings: [sold] }),
    ];
    const requirements = [asking(ZONE, 'In', 'eu-west-3a')];
    expect(typesOf(place([pendingPod()], { nodePools: [aPoolView({ types, requirements })] }))).toEqual([['c.large']]);
  });

  test('may be none: the pool refuses the pod, and a pool with lower weight is tried (B13, B35)', () => {
    const empty = aPoolView({ name: 'empty', weight: 9, requirements: [asking(FAMILY, 'In', 'x9')] });
    const nodePools = [empty, aPoolView()];
    expect(poolsOf(place([pendingPod()], { nodePools }))).toEqual(['general']);
    expect(refusalsOf(place([pendingPod({ requests: { cpu: '99' } })], { nodePools }))).toEqual([
      ['NoCompatibleInstanceTypes', 'InsufficientResources'],
    ]);
  });
});

/** The pod that is placed on the node. Each pod is too large to share the node. */
function first(...pods: readonly Parameters<typeof pendingPod>[0][]): readonly string[] {
  const nodes = [aNode({ allocatable: { cpu: '4', memory: '16Gi', pods: '1' } })];
  return Object.keys(placesOf(place(pods.map(pendingPod), { nodes, nodePools: [] })));
}

describe('the pod that is placed first', () => {
  test('is the pod with the highest cpu request, regardless of priority and age (B28)', () => {
    const urgent = { name: 'urgent', requests: { cpu: '1' }, spec: { priority: 1_000 }, createdAtMs: NOW_MS - 1 };
    expect(first(urgent, { name: 'large', requests: { cpu: '2' } })).toEqual(['large']);
  });

  test('with equal cpu, is the pod with the highest memory request (B28)', () => {
    const lean = { name: 'lean', requests: { cpu: '1', memory: '1Gi' }, createdAtMs: NOW_MS - 1 };
    expect(first(lean, { name: 'rich', requests: { cpu: '1', memory: '2Gi' } })).toEqual(['rich']);
  });

  test('with equal requests, is the oldest pod, also if other fields differ (B28)', () => {
    const young = { name: 'a-young', spec: { nodeSelector: { 'kubernetes.io/arch': 'amd64' } } };
    expect(first(young, { name: 'old', createdAtMs: NOW_MS - 1 })).toEqual(['old']);
  });

  test('with equal requests and age, is the first by uid (B28)', () => {
    const arch = { spec: { nodeSelector: { 'kubernetes.io/arch': 'amd64' } } };
    expect(first({ name: 'b' }, { name: 'a', ...arch })).toEqual(['a']);
    expect(first({ name: 'a' }, { name: 'b', ...arch })).toEqual(['a']);
  });
});

describe('the existing node for a pod; no node is kept free for a consolidation, which is not simulated yet (B33)', () => {
  test('is the first by name that fits, and never a node with a negative free amount (B19, B33)', () => {
    const nodes = ['n1', 'n2', 'n3'].map((name) => aNode({ name }));
    const pods = [
      runningPod('n1', { name: 'over', requests: { 'example.com/disk': '1' } }),
      runningPod('n2', { name: 'full', requests: { cpu: '2' } }),
    ];
    const pod = pendingPod({ requests: { cpu: '100m' } });
    expect(placesOf(place([pod], { nodes, pods }))).toEqual({ 'web-1': 'n3' });
  });

  test.each([
    ['asks for it', asking('team', 'Exists'), {}],
    ['wants another value than one', asking('team', 'NotIn', 'a'), { 'web-1': 'node-1' }],
    ['wants none of it', asking('team', 'DoesNotExist'), { 'web-1': 'node-1' }],
  ])('one without a label of the user’s own, for a pod that %s (B33)', (_, one, places) => {
    const nodeSelectorTerms = [{ matchExpressions: [one] }];
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
    expect(placesOf(place([pendingPod({ spec: { affinity } })], { nodes: [aNode()], nodePools: [] }))).toEqual(places);
  });
});

const taking = (hostIP: string, protocol: 'TCP' | 'UDP' = 'TCP') => ({
  containers: [{ name: 'main', ports: [{ hostPort: 53, hostIP, protocol }], resources: { requests: { cpu: '100m' } } }],
});
const claimsFor = (...pods: readonly Parameters<typeof pendingPod>[0][]) =>
  place(pods.map((one, index) => pendingPod({ name: `web-${index}`, ...one }))).newClaims.length;

describe('host ports', () => {
  test('of two addresses or two protocols can share a new node, ports of all addresses cannot (B58)', () => {
    expect(claimsFor(taking('10.0.0.1'), taking('10.0.0.2'))).toBe(1);
    expect(claimsFor(taking('10.0.0.1'), taking('10.0.0.1', 'UDP'))).toBe(1);
    expect(claimsFor(taking('10.0.0.1'), taking('10.0.0.1'))).toBe(2);
    expect(claimsFor(taking('10.0.0.1'), taking('0.0.0.0'))).toBe(2);
    expect(claimsFor(taking('::'), taking('10.0.0.1'))).toBe(2);
  });

  test('the same on an existing node (B58)', () => {
    const pods = [runningPod('node-1', { name: 'there', ...taking('10.0.0.1') })];
    const onto = (hostIP: string) =>
      Object.keys(placesOf(place(pendingPods(1, taking(hostIP)), { nodes: [aNode()], pods, nodePools: [] })));
    expect(onto('10.0.0.2')).toEqual(['web-1']);
    expect(onto('10.0.0.1')).toEqual([]);
    expect(onto('0.0.0.0')).toEqual([]);
  });
});
