import { describe, expect, test } from 'vitest';
import type { Labels } from '../../../../lib/apis/kubernetes.ts';
import { NODE_POOL } from '../../../../lib/apis/labels.ts';
import type { NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import { anInstanceType, someTypes } from '../../../builders/instance-types.ts';
import { aClaim } from '../../../builders/node-claims.ts';
import { aPoolView, asking } from '../../../builders/node-pools.ts';
import { aNode, type NodeOptions } from '../../../builders/nodes.ts';
import { pendingPod, pendingPods } from '../../../builders/pods.ts';
import { NOW_MS } from '../../../builders/times.ts';
import { place, podsOfClaims, poolsOf, refusalsOf, typesOf } from '../problems.ts';

const FAMILY = 'karpenter.k8s.aws/instance-family';

const held = (schedule: ReturnType<typeof place>): number =>
  schedule.newClaims.reduce(
    (sum, claim) => sum + Math.max(...claim.instanceTypes.map((type) => type.capacity['cpu'] ?? 0)),
    0,
  );

describe('minValues (B24)', () => {
  const flexible = (count: number) => [{ ...asking(FAMILY, 'Exists'), minValues: count }];
  const types = [
    ...someTypes(),
    anInstanceType({ name: 'c5.large', cpu: 2, memoryGib: 8 }),
    anInstanceType({ name: 'r5.8xlarge', cpu: 32, memoryGib: 128 }),
  ];

  test('a claim keeps the number of values that the pool requires', () => {
    const nodePools = [aPoolView({ types, requirements: flexible(3) })];
    expect(place([pendingPod()], { nodePools }).newClaims).toHaveLength(1);
    expect(refusalsOf(place([pendingPod({ requests: { cpu: '4' } })], { nodePools }))).toEqual([['MinValues']]);
  });

  test('a pod that would leave too few values opens another claim', () => {
    const nodePools = [aPoolView({ types, requirements: flexible(3) })];
    expect(podsOfClaims(place(pendingPods(2, { requests: { cpu: '1500m' } }), { nodePools }))).toEqual([
      ['web-1'],
      ['web-2'],
    ]);
  });

  test('a claim shows whether BestEffort relaxed minValues (B24)', () => {
    const relaxed = (count: number, minValuesPolicy: 'Strict' | 'BestEffort') => {
      const nodePools = [aPoolView({ types, requirements: flexible(count) })];
      return place([pendingPod()], { nodePools, options: { minValuesPolicy } }).newClaims.map(
        (claim) => claim.minValuesRelaxed,
      );
    };
    expect(relaxed(3, 'Strict')).toEqual([false]);
    expect(relaxed(3, 'BestEffort')).toEqual([false]);
    expect(relaxed(4, 'BestEffort')).toEqual([true]);
    expect(relaxed(4, 'Strict')).toEqual([]);
  });

  test('under BestEffort, a pool that cannot satisfy minValues is used before a pool with lower weight that can (B24)', () => {
    const nodePools = [aPoolView({ name: 'rigid', weight: 9, requirements: flexible(2) }), aPoolView({ types })];
    const pools = (minValuesPolicy: 'Strict' | 'BestEffort') =>
      poolsOf(place([pendingPod()], { nodePools, options: { minValuesPolicy } }));
    expect(pools('BestEffort')).toEqual(['rigid']);
    expect(pools('Strict')).toEqual(['general']);
  });

  test('under BestEffort, a claim that satisfies minValues does not accept a pod that would leave fewer values (B24)', () => {
    const nodePools = [aPoolView({ types, requirements: flexible(3) })];
    const pods = pendingPods(2, { requests: { cpu: '1500m' } });
    const claims = place(pods, { nodePools, options: { minValuesPolicy: 'BestEffort' } }).newClaims;
    expect(claims.map((claim) => [claim.pods.length, claim.minValuesRelaxed])).toEqual([
      [1, false],
      [1, false],
    ]);
  });

  test('types that the limits exclude do not count', () => {
    const nodePools = [aPoolView({ types, requirements: flexible(3), limits: { cpu: '8' } })];
    expect(refusalsOf(place([pendingPod()], { nodePools }))).toEqual([['MinValues']]);
  });
});

describe('limits are never exceeded (B23, promise 2)', () => {
  test('types that exceed the remaining limits are excluded', () => {
    const nodePools = [aPoolView({ limits: { cpu: '4' } })];
    expect(typesOf(place([pendingPod()], { nodePools }))).toEqual([['m5.large', 'm5.xlarge']]);
  });

  test('the capacity of claims in flight is subtracted', () => {
    const nodePools = [aPoolView({ limits: { cpu: '4' } })];
    const nodeClaims = [
      aClaim({
        holds: { cpu: 2_000 },
        allocatable: { cpu: 0 },
        spec: { ...aClaim().spec, resources: { requests: {} } },
      }),
    ];
    expect(typesOf(place([pendingPod()], { nodePools, nodeClaims }))).toEqual([['m5.large']]);
  });

  test('the claims of other pools are not subtracted', () => {
    const nodePools = [aPoolView({ limits: { cpu: '2' } })];
    const nodeClaims = [
      aClaim({ nodePool: 'other', allocatable: { cpu: 0 }, spec: { ...aClaim().spec, resources: { requests: {} } } }),
    ];
    expect(typesOf(place([pendingPod()], { nodePools, nodeClaims }))).toEqual([['m5.large']]);
  });

  test('a claim that is being deleted releases its share for its replacement (B23)', () => {
    const nodePools = [aPoolView({ limits: { cpu: '2' } })];
    const full = aClaim({
      allocatable: { cpu: 0, memory: 0, pods: 0 },
      spec: { ...aClaim().spec, resources: { requests: {} } },
    });
    const deletion = { reason: 'empty', message: '', requestedAtMs: NOW_MS } as const;
    const unplaced = (nodeClaims: readonly NodeClaimRecord[]) =>
      refusalsOf(place([pendingPod()], { nodePools, nodeClaims }));
    expect([unplaced([full]), unplaced([{ ...full, deletion }])]).toEqual([[['LimitExceeded']], []]);
  });

  test('a node whose record is missing counts as its reported capacity (B23)', () => {
    const full = { allocatable: { cpu: '0' }, capacity: { cpu: '2', memory: '8Gi' } };
    const types = (labels: Labels, over: NodeOptions = {}) => {
      const nodes = [aNode({ ...full, labels, ...over })];
      return typesOf(place([pendingPod()], { nodePools: [aPoolView({ limits: { cpu: '4', nodes: '2' } })], nodes }));
    };
    expect(types({ [NODE_POOL]: 'general' })).toEqual([['m5.large']]);
    expect(types({ [NODE_POOL]: 'other' })).toEqual([['m5.large', 'm5.xlarge']]);
    expect(types({})).toEqual([['m5.large', 'm5.xlarge']]);
    const ending = { deletionTimestamp: '2026-01-01T00:00:00Z' };
    expect(types({ [NODE_POOL]: 'general' }, ending)).toEqual([['m5.large', 'm5.xlarge']]);
  });

  test('two nodes whose records are missing use up a limit of two nodes (B23)', () => {
    const labels = { [NODE_POOL]: 'general' };
    const nodes = ['one', 'two'].map((name) => aNode({ name, labels, allocatable: { cpu: '0' } }));
    const nodePools = [aPoolView({ limits: { nodes: '2' } })];
    expect(refusalsOf(place([pendingPod()], { nodePools, nodes }))).toEqual([['LimitExceeded']]);
  });

  test('if they do not allow all pods, the largest pods are placed first, as in Karpenter (B28, B23)', () => {
    const nodePools = [aPoolView({ limits: { cpu: '4' } })];
    const pods = [
      pendingPod({ name: 'large', requests: { cpu: '3' } }),
      ...pendingPods(12, { name: 'small', requests: { cpu: '500m' } }),
    ];
    expect(podsOfClaims(place(pods, { nodePools })).flat()).toEqual(['large', 'small-1', 'small-10']);
  });

  test('the claims of a run stay within the limits, even if each is launched as its largest type', () => {
    const nodePools = [aPoolView({ limits: { cpu: '13' } })];
    const schedule = place(pendingPods(9, { requests: { cpu: '1500m' } }), { nodePools });
    expect(schedule.newClaims.length).toBeGreaterThan(1);
    expect(held(schedule)).toBeLessThanOrEqual(13_000);
    expect(refusalsOf(schedule).flat()).toContain('LimitExceeded');
  });

  test('nodes are counted exactly, including those of this run', () => {
    const containers = [{ name: 'main', ports: [{ hostPort: 80 }] }];
    const nodePools = [aPoolView({ limits: { nodes: '3' } })];
    const schedule = place(pendingPods(4, { containers }), {
      nodePools,
      nodeClaims: [aClaim({ allocatable: {}, spec: { ...aClaim().spec, resources: { requests: {} } } })],
    });
    expect(schedule.newClaims).toHaveLength(2);
    expect(refusalsOf(schedule)).toEqual([['LimitExceeded'], ['LimitExceeded']]);
  });

  test('a limit of a resource that no type has does not exclude types', () => {
    const nodePools = [aPoolView({ limits: { 'nvidia.com/gpu': '0' } })];
    expect(place([pendingPod()], { nodePools }).newClaims).toHaveLength(1);
  });

  test('limits that are already exceeded allow no new claim (B23)', () => {
    const nodePools = [aPoolView({ limits: { memory: '4Gi', cpu: '99' } })];
    const nodeClaims = [aClaim({ allocatable: {}, spec: { ...aClaim().spec, resources: { requests: {} } } })];
    expect(refusalsOf(place([pendingPod()], { nodePools, nodeClaims }))).toEqual([['LimitExceeded']]);
  });

  test('if the limits of a pool are reached, the next pool is used', () => {
    const nodePools = [aPoolView({ name: 'full', weight: 9, limits: { cpu: '0' } }), aPoolView({ name: 'open' })];
    expect(poolsOf(place([pendingPod()], { nodePools }))).toEqual(['open']);
  });
});
