import { describe, expect, test } from 'vitest';
import { evaluateMove, isMove } from '../../../../lib/core/disruption/consolidation/evaluate-move.ts';
import type { EvaluatedMove } from '../../../../lib/core/disruption/method.ts';
import type { ClusterSnapshot } from '../../../../lib/core/model/cluster-snapshot.ts';
import type { InstanceType } from '../../../../lib/core/model/instance-type.ts';
import type { Refusal } from '../../../../lib/core/model/refusal.ts';
import { newNodeClaim } from '../../../../lib/core/provisioning/new-node-claim.ts';
import { someBufferPods } from '../../../builders/capacity-buffers.ts';
import { anInstanceType, anOffering } from '../../../builders/instance-types.ts';
import { launchedClaim } from '../../../builders/node-claims.ts';
import { aPoolView, asking, type NodePoolViewOptions } from '../../../builders/node-pools.ts';
import { pendingPod, runningPod } from '../../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../../builders/snapshots.ts';
import { MINUTE, NOW_MS } from '../../../builders/times.ts';
import { candidatesOf, worldOf } from '../worlds.ts';

const CAPACITY_TYPE = 'karpenter.sh/capacity-type';
const TYPE = 'node.kubernetes.io/instance-type';

const CPUS: Readonly<Record<string, number>> = { 'm5.xlarge': 4, 'm5.2xlarge': 8, 'm5.8xlarge': 32, 'huge.large': 8 };

/** An on-demand node of this type. */
function node(name: string, type = 'm5.large', labels: Readonly<Record<string, string>> = {}) {
  const cpu = CPUS[type] ?? 2;
  const allocatable = { cpu: String(cpu), memory: `${cpu * 4}Gi`, pods: '29' };
  return initializedNode({ name, allocatable, labels: { [TYPE]: type, ...labels } });
}

const SPOT = { [CAPACITY_TYPE]: 'spot' };

function pod(on: string, name: string, cpu = '500m') {
  return runningPod(on, { name, requests: { cpu, memory: '100Mi' } });
}

function onDemandPool(options: NodePoolViewOptions = {}) {
  return aPoolView({ requirements: [asking(CAPACITY_TYPE, 'In', 'on-demand')], ...options });
}

/** Evaluates the removal of the nodes. */
function evaluate(snapshot: ClusterSnapshot, ...names: readonly string[]): EvaluatedMove | Refusal {
  const world = worldOf(snapshot);
  return evaluateMove(candidatesOf(world, ...names), world);
}

function moveOf(snapshot: ClusterSnapshot, ...names: readonly string[]): EvaluatedMove {
  const result = evaluate(snapshot, ...names);
  if (!isMove(result)) throw new Error(result.message);
  return result;
}

/** The types and the capacity type of the replacement. */
function replacementOf({ replacements: [claim] }: EvaluatedMove) {
  return {
    types: claim?.instanceTypes.map(({ name }) => name),
    capacityTypes: [...(claim?.requirements.get(CAPACITY_TYPE)?.values ?? [])],
    cheapest: claim?.cheapest.offering.priceUsdPerHour,
  };
}

describe('where the pods go (E20, E21)', () => {
  test('E21: a node is deleted if its pods fit on other nodes; its whole price is saved', () => {
    const move = moveOf(snapshotOf([node('a'), node('b')], { pods: [pod('a', 'one'), pod('b', 'two')] }), 'a');
    expect(move).toMatchObject({ replacements: [], sourceUsdPerHour: 0.1, savingsUsdPerHour: 0.1, evictions: 1 });
    expect(move.targets.map(({ stateNode, pods }) => [stateNode.name, pods.map((one) => one.metadata.name)])).toEqual([
      ['b', ['one']],
    ]);
  });

  test('E21: several nodes are deleted together if all their pods fit on the others', () => {
    const nodes = [node('a'), node('b'), node('c')];
    const pods = [pod('a', 'one'), pod('b', 'two'), pod('c', 'three')];
    expect(moveOf(snapshotOf(nodes, { pods }), 'a', 'b')).toMatchObject({ savingsUsdPerHour: 0.2, evictions: 2 });
  });

  test('E21: a node is replaced by a cheaper one if its pods need a new node', () => {
    const snapshot = snapshotOf([node('a', 'm5.2xlarge')], { nodePools: [onDemandPool()], pods: [pod('a', 'one')] });
    const move = moveOf(snapshot, 'a');
    expect(replacementOf(move)).toMatchObject({ types: ['m5.large', 'm5.xlarge'], cheapest: 0.1 });
    expect(move.savingsUsdPerHour).toBeCloseTo(0.3);
  });

  test('E21: a node is not replaced by several', () => {
    const sizes = { 'm5.large': 2, 'm5.xlarge': 4, 'm5.8xlarge': 32 };
    const types = Object.entries(sizes).map(([name, cpu]) => anInstanceType({ name, cpu, memoryGib: cpu * 4 }));
    const pods = ['one', 'two', 'three'].map((name) => ({
      ...pod('a', name, '1'),
      spec: {
        ...pod('a', name, '1').spec,
        nodeSelector: { [TYPE]: 'm5.large' },
      },
    }));
    const snapshot = snapshotOf([node('a', 'm5.8xlarge')], { nodePools: [onDemandPool({ types })], pods });
    expect(evaluate(snapshot, 'a')).toEqual({
      reason: 'NeedsSeveralNodes',
      message: 'its 3 pods need 2 new nodes, and consolidation replaces nodes by one at most',
      numbers: { pods: 3, newNodes: 2 },
    });
  });

  test('E21: one new node is used even if several would cost less', () => {
    const types = [
      anInstanceType({ name: 'small.large', cpu: 2, price: 0.1 }),
      anInstanceType({ name: 'middle.large', cpu: 4, memoryGib: 16, price: 0.25 }),
      anInstanceType({ name: 'huge.large', cpu: 8, memoryGib: 32, price: 0.9 }),
    ];
    const pods = [pod('a', 'one', '1800m'), pod('a', 'two', '1800m')];
    const snapshot = snapshotOf([node('a', 'huge.large')], { nodePools: [onDemandPool({ types })], pods });
    expect(replacementOf(moveOf(snapshot, 'a')).types).toEqual(['middle.large']);
  });

  test('E20: a pod that would be unschedulable keeps its node', () => {
    const nodePools = [onDemandPool({ limits: { cpu: '2' } })];
    const pods = [pod('a', 'one', '1800m'), pod('b', 'two', '1800m')];
    const refusal = evaluate(snapshotOf([node('a', 'm5.xlarge'), node('b')], { nodePools, pods }), 'a');
    expect(refusal).toMatchObject({ reason: 'NoPlaceForPods', numbers: { unschedulable: 1, pods: 1 } });
    expect(refusal).toHaveProperty(
      'message',
      expect.stringMatching(
        /^1 of its 1 pod would be unschedulable, for example default\/one: no existing node fits: .*insufficient cpu/,
      ),
    );
  });

  test('E20: pending pods that cannot be placed anyway do not matter', () => {
    const pods = [pod('a', 'one'), pod('b', 'two'), pendingPod({ name: 'huge', requests: { cpu: '900' } })];
    expect(moveOf(snapshotOf([node('a'), node('b')], { pods }), 'a').savingsUsdPerHour).toBe(0.1);
  });

  test('E20: a node stays while a pending pod would need another new node without it', () => {
    const pods = [pod('a', 'one'), pod('b', 'two', '1500m'), pendingPod({ name: 'next', requests: { cpu: '1500m' } })];
    expect(evaluate(snapshotOf([node('a'), node('b')], { pods }), 'a')).toMatchObject({
      reason: 'KeepsPendingPods',
      numbers: { pods: 0, newNodes: 1 },
    });
  });

  test('A5.6: a node that has the room of a CapacityBuffer stays for the buffer, which its refusal names', () => {
    const pods = [pod('a', 'one'), pod('b', 'two', '1500m')];
    const bufferPods = someBufferPods(1, { cpu: '1500m' });
    expect(evaluate(snapshotOf([node('a'), node('b')], { pods, bufferPods }), 'a')).toMatchObject({
      reason: 'KeepsBuffer',
      message: expect.stringMatching(
        /^the node reserves capacity for capacitybuffer \S+: without the node 1 more node would be launched$/,
      ),
    });
  });

  test('E20: pods do not move to a node that is not initialized', () => {
    const starting = { ...node('b'), nodeClaim: { ...node('b').nodeClaim, initializedAtMs: NOW_MS } };
    const labels = { ...starting.node.metadata.labels, 'karpenter.sh/initialized': 'false' };
    const nodes = [
      node('a'),
      { ...starting, node: { ...starting.node, metadata: { ...starting.node.metadata, labels } } },
    ];
    expect(evaluate(snapshotOf(nodes, { pods: [pod('a', 'one')] }), 'a')).toMatchObject({
      reason: 'NodeStarting',
      message: 'its pods would move to b, which is not initialized yet',
    });
  });

  test('B33: pods do not move to a node whose consolidateAfter has not passed', () => {
    const nodePools = [onDemandPool({ disruption: { consolidateAfter: '10m' } })];
    const young = { ...node('b'), nodeClaim: { ...node('b').nodeClaim, lastPodEventAtMs: NOW_MS - MINUTE } };
    const pods = [pod('a', 'one'), pod('b', 'two')];
    const refusal = evaluate(snapshotOf([node('a'), young], { nodePools, pods }), 'a');
    expect(refusal).toMatchObject({ reason: 'NotCheaper' });
    const later = worldOf(snapshotOf([node('a'), young], { nodePools, pods }), NOW_MS + 10 * MINUTE);
    expect(isMove(evaluateMove(candidatesOf(later, 'a'), later))).toBe(true);
  });

  test('B33: pending pods may be placed on such a node', () => {
    const nodePools = [onDemandPool({ disruption: { consolidateAfter: '10m' } })];
    const young = { ...node('b'), nodeClaim: { ...node('b').nodeClaim, lastPodEventAtMs: NOW_MS } };
    const nodes = [node('a'), node('c'), young];
    const pods = [
      pod('a', 'one', '500m'),
      pod('c', 'two', '1'),
      pendingPod({ name: 'next', requests: { cpu: '1800m' } }),
    ];
    expect(moveOf(snapshotOf(nodes, { nodePools, pods }), 'a').targets.map(({ stateNode }) => stateNode.name)).toEqual([
      'c',
    ]);
  });
});

describe('what the replacement costs (E22, E23)', () => {
  test('E22: a node stays if the new node costs as much', () => {
    const snapshot = snapshotOf([node('a')], { nodePools: [onDemandPool()], pods: [pod('a', 'one'), pod('a', 'two')] });
    expect(evaluate(snapshot, 'a')).toEqual({
      reason: 'NotCheaper',
      message: 'its 2 pods need a new node that costs $0.1/h, and the node costs $0.1/h',
      numbers: { pods: 2, fromUsdPerHour: 0.1, nodeUsdPerHour: 0.1 },
    });
  });

  test('E22: the price of a type is that of its most expensive zone', () => {
    const cheapInOneZone = anInstanceType({
      name: 'm6.large',
      offerings: [anOffering('eu-west-3a', 'on-demand', 0.05), anOffering('eu-west-3b', 'on-demand', 0.2)],
    });
    const nodePools = [onDemandPool({ types: [anInstanceType(), cheapInOneZone] })];
    expect(evaluate(snapshotOf([node('a')], { nodePools, pods: [pod('a', 'one')] }), 'a')).toMatchObject({
      reason: 'NotCheaper',
      numbers: { fromUsdPerHour: 0.1 },
    });
  });

  test('E22: offerings without capacity have no price', () => {
    const offerings = [
      { ...anOffering('eu-west-3a', 'on-demand', 0.2), available: false },
      anOffering('eu-west-3b', 'on-demand', 0.05),
    ];
    const types = [anInstanceType(), anInstanceType({ name: 'm6.large', offerings })];
    const nodePools = [onDemandPool({ types })];
    const move = moveOf(snapshotOf([node('a')], { nodePools, pods: [pod('a', 'one')] }), 'a');
    expect(replacementOf(move)).toMatchObject({ types: ['m6.large'], cheapest: 0.05 });
  });

  test('E22: several nodes are replaced by one that costs less than their sum', () => {
    const nodePools = [onDemandPool()];
    const nodes = [node('a', 'm5.2xlarge'), node('b', 'm5.2xlarge')];
    const pods = [pod('a', 'one', '1900m'), pod('b', 'two', '1900m')];
    const move = moveOf(snapshotOf(nodes, { nodePools, pods }), 'a', 'b');
    expect(replacementOf(move)).toMatchObject({ types: ['m5.xlarge'], cheapest: 0.2 });
    expect(move).toMatchObject({ sourceUsdPerHour: 0.8, evictions: 2 });
  });

  test('E23: an on-demand node may be replaced by spot, and then only by spot', () => {
    const move = moveOf(snapshotOf([node('a')], { pods: [pod('a', 'one')] }), 'a');
    expect(replacementOf(move)).toMatchObject({ types: ['m5.large', 'm5.xlarge'], capacityTypes: ['spot'] });
    expect(move.savingsUsdPerHour).toBeCloseTo(0.06);
    const [claim] = move.replacements;
    const record = claim && newNodeClaim(claim, 0, { cluster: 'demo', decisionId: 'd', nowMs: NOW_MS });
    expect(new Set(record?.options.map(({ capacityType }) => capacityType))).toEqual(new Set(['spot']));
  });

  test('E23: without spot capacity it is replaced by a cheaper on-demand node', () => {
    const types = ['m5.large', 'm5.xlarge'].map((name, at) =>
      anInstanceType({ name, cpu: 2 * (at + 1), memoryGib: 8 * (at + 1), capacityTypes: ['on-demand'] }),
    );
    const snapshot = snapshotOf([node('a', 'm5.xlarge')], {
      nodePools: [aPoolView({ types })],
      pods: [pod('a', 'one')],
    });
    expect(replacementOf(moveOf(snapshot, 'a'))).toEqual({
      types: ['m5.large'],
      capacityTypes: ['on-demand'],
      cheapest: 0.1,
    });
  });

  test('E18: a node of a reservation costs almost nothing, so it is not replaced', () => {
    const reserved = { ...anOffering('eu-west-3a', 'reserved', 0.0000001), reservation: { id: 'cr-1', instances: 0 } };
    const type = anInstanceType({ offerings: [...anInstanceType().offerings, reserved] });
    const labels = { [CAPACITY_TYPE]: 'reserved', 'karpenter.k8s.aws/capacity-reservation-id': 'cr-1' };
    const snapshot = snapshotOf([node('a', 'm5.large', labels)], {
      nodePools: [aPoolView({ types: [type] })],
      pods: [pod('a', 'one')],
    });
    expect(evaluate(snapshot, 'a')).toMatchObject({ reason: 'NotCheaper' });
  });

  test('B24: the cheaper types must still satisfy minValues', () => {
    const flexible = { ...asking(TYPE, 'Exists'), minValues: 3 };
    const nodePools = [onDemandPool({ requirements: [flexible, asking(CAPACITY_TYPE, 'In', 'on-demand')] })];
    expect(evaluate(snapshotOf([node('a', 'm5.2xlarge')], { nodePools, pods: [pod('a', 'one')] }), 'a')).toMatchObject({
      reason: 'MinValues',
      numbers: { values: 2, minValues: 3 },
    });
  });

  test('E27: several nodes are not replaced by one of the type of the cheapest of them', () => {
    const nodePools = [onDemandPool()];
    const nodes = [node('a'), node('b', 'm5.xlarge')];
    const pods = [pod('a', 'one', '900m'), pod('b', 'two', '900m')];
    // m5.large would hold both pods, but deleting b does the same.
    const both = evaluate(snapshotOf(nodes, { nodePools, pods }), 'a', 'b');
    expect(both).toMatchObject({ reason: 'SameInstanceType', numbers: { nodes: 2 } });
    expect(moveOf(snapshotOf(nodes, { nodePools, pods }), 'b').replacements).toEqual([]);
  });
});

/** Types that cost less than m5.large, each a little more than the one before. */
function cheaperTypes(count: number): readonly InstanceType[] {
  return Array.from({ length: count }, (_, at) =>
    anInstanceType({ name: `c${at + 10}.large`, price: 0.05 + at / 1_000 }),
  );
}

/** The number of types that the launch of the replacement asks for. */
function launchedTypes({ replacements: [claim] }: EvaluatedMove): number {
  if (claim === undefined) throw new Error('nothing is launched');
  const { options } = newNodeClaim(claim, 0, { cluster: 'demo', decisionId: 'd', nowMs: NOW_MS });
  return new Set(options.map(({ instanceType }) => instanceType)).size;
}

describe('spot to spot (E24)', () => {
  function snapshot(count: number, isOn: boolean, nodes = [node('a', 'm5.large', SPOT)]): ClusterSnapshot {
    return snapshotOf(nodes, {
      nodePools: [aPoolView({ types: [anInstanceType(), ...cheaperTypes(count)] })],
      pods: nodes.map((one, at) => pod(one.node.metadata.name, `pod-${at}`, '900m')),
      options: { spotToSpotConsolidation: isOn },
    });
  }

  test('E24: a spot node is not replaced by a spot node if spotToSpotConsolidation is off', () => {
    expect(evaluate(snapshot(20, false), 'a')).toMatchObject({
      reason: 'SpotToSpotDisabled',
      message: 'its 1 pod needs a new spot node, and spotToSpotConsolidation is off',
    });
  });

  test('E24: with it, only if at least 15 types cost less', () => {
    expect(evaluate(snapshot(14, true), 'a')).toMatchObject({
      reason: 'SpotToSpotNeedsTypes',
      numbers: { instanceTypes: 14, required: 15 },
    });
    expect(replacementOf(moveOf(snapshot(15, true), 'a'))).toMatchObject({ capacityTypes: ['spot'] });
  });

  test('E24: the replacement has the 15 cheapest types', () => {
    const { types } = replacementOf(moveOf(snapshot(20, true), 'a'));
    expect(types).toEqual(cheaperTypes(15).map(({ name }) => name));
  });

  /** A spot node that costs 1 $/h, and 18 smaller spot types that cost 0.01 $/h and so much more each. */
  function stepped(step: number, maxPriceFactor?: string): ClusterSnapshot {
    const capacityTypes = ['spot'] as const;
    const smaller = Array.from({ length: 18 }, (_, at) =>
      anInstanceType({ name: `c${at + 10}.large`, price: 0.01 + at * step, capacityTypes }),
    );
    const poolAnnotations = maxPriceFactor === undefined ? {} : { 'kerf.dev/max-price-factor': maxPriceFactor };
    return snapshotOf([node('a', 'm5.large', SPOT)], {
      nodePools: [aPoolView({ types: [anInstanceType({ price: 1, capacityTypes }), ...smaller], poolAnnotations })],
      pods: [pod('a', 'one', '900m')],
      options: { spotToSpotConsolidation: true },
    });
  }

  test('E24: the replacement is launched as one of 15 types at least, all within the maximum price (C43)', () => {
    expect(launchedTypes(moveOf(stepped(0.001), 'a'))).toBe(15);
    // 3 times 0.01 $/h allows the first 5 types, or the first 2.
    for (const [step, count] of [
      [0.005, 5],
      [0.02, 2],
    ] as const)
      expect(evaluate(stepped(step), 'a')).toMatchObject({
        reason: 'SpotToSpotNeedsTypes',
        message: `${count} instance types that may be launched would cost less, and a spot node is replaced by a spot node only if 15 do`,
        numbers: { instanceTypes: count, required: 15 },
      });
    expect(launchedTypes(moveOf(stepped(0.02, 'Off'), 'a'))).toBe(15);
  });

  test('E24: or as many as minValues needs', () => {
    const world = snapshot(20, true);
    const requirements = [{ ...asking(TYPE, 'Exists'), minValues: 18 }];
    const nodePools = [aPoolView({ types: world.nodePools[0]?.instanceTypes ?? [], requirements })];
    expect(replacementOf(moveOf({ ...world, nodePools }, 'a')).types).toHaveLength(18);
  });

  test('E24: several spot nodes need no minimum of types', () => {
    const nodes = [node('a', 'm5.large', SPOT), node('b', 'm5.large', SPOT)];
    expect(replacementOf(moveOf(snapshot(3, true, nodes), 'a', 'b')).types).toHaveLength(3);
  });

  test('E24: a spot node may be replaced by a cheaper on-demand node', () => {
    const types = [
      anInstanceType({ price: 1 }),
      anInstanceType({ name: 'c5.large', price: 0.05, capacityTypes: ['on-demand'] }),
    ];
    const nodePools = [onDemandPool({ types })];
    const one = snapshotOf([node('a', 'm5.large', SPOT)], { nodePools, pods: [pod('a', 'one')] });
    expect(replacementOf(moveOf(one, 'a')).types).toEqual(['c5.large']);
  });
});

test('a claim in flight with room counts as a node that is not initialized (E20)', () => {
  const inFlight = launchedClaim({ name: 'general-2' }, { id: 'i-2' });
  const snapshot = snapshotOf([node('a')], { pods: [pod('a', 'one')] });
  const nodeClaims = [...snapshot.nodeClaims, inFlight];
  expect(evaluate({ ...snapshot, nodeClaims }, 'a')).toMatchObject({ reason: 'NodeStarting' });
});
